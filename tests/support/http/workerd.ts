import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { workerCompatibility } from '#shared/manifest/worker.ts'

/** The path of workerd's binary. Its package is CommonJS, which bundlers and Node import in different ways. */
const require = createRequire(import.meta.url)
const { default: workerd } = require('workerd') as { default: string }

export interface Worker {
  /** The worker's address. */
  url: string
  process: ChildProcess
  close(): Promise<void>
}

/** Workers of tests may reach local addresses as well as the internet. */
const everywhere = ['public', 'private']

/**
 * Starts one worker on workerd as a process of its own. Once this resolves, the worker is ready.
 * @param module the bundle's path
 * @param bindings its settings
 * @param networks the networks that it may reach, by workerd's names
 */
export async function startWorker(
  module: string,
  bindings: Readonly<Record<string, string | undefined>> = {},
  networks: readonly string[] = everywhere,
): Promise<Worker> {
  const folder = await mkdtemp(join(tmpdir(), 'workerd-'))
  const path = join(folder, 'config.capnp')
  await writeFile(path, configuration(module, bindings, networks))
  const child = spawn(workerd, ['serve', '--control-fd=3', '--import-path=/', path], {
    // The function writes its log to stdout; workerd writes its own errors to stderr.
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  // Workerd reports its port once it listens. It exits without a message if the module does not load.
  const said = createInterface(child.stdio[3] as Readable)
  const first = await Promise.race([once(said, 'line'), once(child, 'exit')])
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    await rm(folder, { recursive: true, force: true })
  }
  if (typeof first[0] !== 'string' || first[0].startsWith('SIG')) {
    await close()
    throw new Error(`workerd does not run ${module}`)
  }
  const { port } = JSON.parse(first[0]) as { port: number }
  return { url: `http://127.0.0.1:${port}`, process: child, close }
}

/** Returns workerd's configuration in Cap'n Proto's text format. */
function configuration(
  module: string,
  bindings: Readonly<Record<string, string | undefined>>,
  networks: readonly string[],
): string {
  const given = Object.entries(bindings).filter(([, value]) => value !== undefined)
  const { date, flags } = workerCompatibility
  return `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (
      modules = [(name = "index.js", esModule = embed ${text(module)})],
      compatibilityDate = ${text(date)},
      compatibilityFlags = ${texts(flags)},
      bindings = [${given.map(([name, value = '']) => `(name = ${text(name)}, text = ${text(value)})`).join(', ')}],
    )),
    (name = "internet", network = (allow = ${texts(networks)}, tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
);
`
}

/** A JSON string is also a Cap'n Proto string if it is ASCII, as the settings of tests are. */
const text = (value: string) => JSON.stringify(value)
const texts = (values: readonly string[]) => `[${values.map(text).join(', ')}]`
