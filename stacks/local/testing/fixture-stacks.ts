import { join } from 'node:path'
import type { FunctionSpec } from '#shared/manifest/index.ts'
import { bundleFunctions } from '#stacks/build/bundle.ts'
import { type StackOptions, startStack } from '../stack.ts'
import { freePorts } from './free-ports.ts'
import { root, temporaryDir } from './harness.ts'
import { fixture } from './manifest.ts'

const ordinary = [
  fixture(
    'web-all',
    'http',
    { kind: 'http', surface: 'web', prefixes: ['$default'] },
    {
      grants: [{ table: 'write' }, { send: 'checks' }, { containers: 'run' }, { mail: 'send' }],
      settings: ['AGENT_IMAGE', 'AI_BASE_URL', 'WEB_URL', 'KILL_SWITCH', 'PAYMENTS_API_URL'],
      secrets: [
        'INTERNAL_API_KEY',
        'WALLET_ENCRYPTION_KEY',
        'PAYMENTS_SECRET_KEY',
        'PAYMENTS_WEBHOOK_SECRET',
      ],
    },
  ),
  fixture('backend-none', 'http', { kind: 'http', surface: 'backend', prefixes: ['$default'] }),
  fixture('consumer', 'queue', { kind: 'queue', queue: 'checks', batchSize: 5, maxReceives: 2 }),
  fixture('ticker', 'schedule', { kind: 'schedule', everyMinutes: 1 }),
]

/** Starts stacks with fixture functions, each in its own directory. */
export async function fixtureStacks(functions: readonly FunctionSpec[] = ordinary) {
  const dir = await temporaryDir()
  const bundles = join(dir.path, 'functions')
  // Fixtures export their handlers themselves, so they need no carrier.
  const entries = functions.map(({ name, entry }) => ({ name, entry }))
  await bundleFunctions({ functions: entries, root, outDir: bundles })
  /** The output of their functions. */
  const shown: string[] = []
  return {
    dir: dir.path,
    shown,
    start: (more: Partial<StackOptions> = {}, environment: Record<string, string> = {}) =>
      startStack({
        root,
        bundles,
        functions,
        environment: {
          DATA_DIR: join(dir.path, 'data'),
          ...freePorts,
          LOCAL_ACCESS_KEY_ID: 'local',
          ...environment,
        },
        show: (text) => void shown.push(text),
        verbose: true,
        ...more,
      }),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  }
}

/** Returns the environment of a stack's function. */
export async function environmentOf(url: string): Promise<Record<string, string>> {
  return (await (await fetch(`${url}/environment`)).json()) as Record<string, string>
}
