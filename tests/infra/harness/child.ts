/**
 * Runs the whole program of sst.config.ts under Pulumi's mocks, in a process of its own because both keep state in
 * globals, and writes its declarations as JSON. Arguments: the bundled program, the stage and a scratch folder.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { lookUp, outputsOf } from './mocks.ts'
import type { Inputs, Registration } from './mocks.ts'
import { platform, root } from './paths.ts'
import { addressOf, serveCli } from './rpc.ts'
import type { Build } from './rpc.ts'
import { isSecret, unwrap } from './secrets.ts'
import { stateOf } from './shared-network.ts'

interface Program {
  config: {
    app(input: { stage: string }): Promise<Record<string, unknown>>
    run(): Promise<unknown>
  }
  run(program: () => Promise<unknown>): Promise<unknown>
}

/** `id` only if the program reads an existing resource instead of declaring one. */
type Resource = Pick<Registration, 'type' | 'name' | 'inputs'> & { id?: string }

interface Options {
  retainOnDelete?: boolean
  ignoreChanges?: string[]
}

interface PulumiRuntime {
  setMocks(
    mocks: {
      newResource(args: Resource): { id: string; state: Inputs }
      call(args: { token: string; inputs: Inputs }): Inputs
    },
    project: string,
    stack: string,
    preview: boolean,
  ): Promise<void>
  registerStackTransformation(
    look: (args: { type: string; name: string; opts: Options }) => undefined,
  ): void
  runInPulumiStack(program: () => Promise<unknown>): Promise<unknown>
  waitForRPCs(): Promise<void>
}

const [program = '', stage = 'production', scratch = '.'] = process.argv.slice(2)
const placeholder = join(scratch, 'bundle')
const registrations: Registration[] = []
const builds: Build[] = []

await mkdir(placeholder, { recursive: true })
for (const bundle of ['index.cjs', 'index.js']) await writeFile(join(placeholder, bundle), '')
const cli = await serveCli(placeholder, builds)
process.env.SST_SERVER = addressOf(cli)
try {
  const outputs = await declare((await import(pathToFileURL(program).href)) as Program)
  await writeFile(
    join(scratch, 'declared.json'),
    JSON.stringify({ app: Reflect.get(globalThis, '$app'), registrations, builds, outputs }),
  )
} finally {
  cli.close()
}

async function declare({ config, run }: Program): Promise<unknown> {
  const { default: pulumi } = (await import(
    pathToFileURL(join(platform, 'node_modules/@pulumi/pulumi/index.js')).href
  )) as { default: { runtime: PulumiRuntime } }
  const app = { ...(await config.app({ stage })), stage }
  const paths = { root, platform, work: scratch, home: scratch }
  Object.assign(globalThis, {
    $app: app,
    $cli: { command: 'deploy', paths, state: { version: {} } },
  })
  const { runtime } = pulumi
  // Mocks do not receive resource options, so this records them in the constructor. SST adds to them in place, later.
  const options = new Map<string, Options>()
  await runtime.setMocks(
    {
      newResource(args) {
        const { type, name, id } = args
        if (id) return { id, state: stateOf(type) }
        const inputs = unwrap(args.inputs) as Inputs
        const secrets = Object.keys(inputs).filter((key) => isSecret(args.inputs[key]))
        const { retainOnDelete: retained = false, ignoreChanges: kept = [] } =
          options.get(`${type} ${name}`) ?? {}
        registrations.push({ type, name, inputs, secrets, retained, kept })
        return { id: `${name}-id`, state: { ...args.inputs, ...outputsOf({ type, name, inputs }) } }
      },
      call: ({ token, inputs }) => lookUp(token, inputs),
    },
    'agent-platform',
    stage,
    false,
  )
  const outputs = await runtime.runInPulumiStack(() => {
    runtime.registerStackTransformation(({ type, name, opts }) => {
      options.set(`${type} ${name}`, opts)
      return undefined
    })
    return run(() => config.run())
  })
  await runtime.waitForRPCs()
  return outputs
}
