import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { compileCache } from '#tests/support/platform/compile-cache.ts'
import { type Outcome, runHere } from '#tests/support/programs/run-here.ts'
import { startFile } from '#tests/support/programs/start-file.ts'

const root = join(import.meta.dirname, '../../..')

/** The programs that have run as processes. */
const proven = new Set<string>()

/** A checkout's folder with the files of stages, and stand-ins for `npm` and `sst` on the PATH. */
export class Checkout implements AsyncDisposable {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static async make(): Promise<Checkout> {
    const checkout = new Checkout(await mkdtemp(join(tmpdir(), 'checkout-')))
    await mkdir(join(checkout.folder, 'stages'))
    await mkdir(join(checkout.folder, 'bin'))
    await mkdir(join(checkout.folder, '.sst'))
    await mkdir(join(checkout.folder, 'dist/console'), { recursive: true })
    await writeFile(join(checkout.folder, '.sst/outputs.json'), '{"console":"console"}')
    await checkout.build([])
    for (const program of ['npm', 'sst']) await checkout.program(program, 'exit 0')
    return checkout
  }

  /** Writes the file of a stage. */
  async settings(content: string, stage = 'production'): Promise<void> {
    await writeFile(join(this.folder, `stages/${stage}.env`), content)
  }

  /** Writes the list of the console's files, as the build does. */
  async build(paths: string[]): Promise<void> {
    const files = paths.map((path) => ({ path }))
    await writeFile(join(this.folder, 'dist/console/files.json'), JSON.stringify({ files }))
  }

  /** Replaces a program. It writes its parameters and three variables to a log before it runs the given shell commands. */
  async program(name: string, commands: string): Promise<void> {
    const file = join(this.folder, 'bin', name)
    const log = join(this.folder, 'log')
    await writeFile(
      file,
      `#!/bin/sh\necho "${name} $* AGENT_IMAGE=$AGENT_IMAGE KILL_SWITCH=$KILL_SWITCH UNPROTECTED_STAGE=$UNPROTECTED_STAGE" >>'${log}'\n${commands}\n`,
    )
    await chmod(file, 0o755)
  }

  /** Returns the lines of the log: one for each program that ran. */
  async log(): Promise<string[]> {
    const content = await readFile(join(this.folder, 'log'), 'utf8').catch(() => '')
    return content.split('\n').filter(Boolean)
  }

  /** Runs a module with Node in this folder. @param url the address of AWS */
  async run(
    module: string,
    url: string,
    parameters: string[],
    environment: NodeJS.ProcessEnv = {},
  ): Promise<Outcome> {
    const program = await startFile(relative(root, module))
    return this.#start(program, parameters, this.#environment(url, environment))
  }

  async #start(
    program: string,
    parameters: string[],
    environment: NodeJS.ProcessEnv,
  ): Promise<Outcome> {
    const child = spawn(process.execPath, [program, ...parameters], {
      cwd: this.folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [said, wrong, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit') as Promise<[number]>,
    ])
    return { code, said: said + wrong }
  }

  /**
   * Runs a module that starts no processes: the first time as a process of its own, later in this process, which takes
   * a tenth of the CPU time.
   */
  async runOften(
    module: string,
    url: string,
    parameters: string[],
    environment: NodeJS.ProcessEnv = {},
  ): Promise<Outcome> {
    const all = this.#environment(url, environment)
    if (proven.has(module))
      return runHere({ module, folder: this.folder, parameters, environment: all })
    proven.add(module)
    return this.#start(module, parameters, all)
  }

  #environment(url: string, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    return {
      PATH: [join(this.folder, 'bin'), process.env['PATH']].join(delimiter),
      AWS_ENDPOINT_URL: url,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_CONFIG_FILE: '/nowhere',
      AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
      AWS_EC2_METADATA_DISABLED: 'true',
      ...compileCache,
      ...environment,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true })
  }
}
