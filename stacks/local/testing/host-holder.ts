/** Hosts a function in its own process until it is killed, and prints the id of that process. */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startFunctionHost } from '../functions/host.ts'
import { fixture } from './manifest.ts'

const host = await startFunctionHost({
  functions: [fixture('invoked', 'http', { kind: 'invoke' })],
  bundles: process.argv[2] ?? '',
  cacheDir: await mkdtemp(join(tmpdir(), 'host-holder-')),
  environmentOf: () => ({}),
  onLine: () => {},
})
const outcome = await host.invoke('invoked', { rawPath: '/pid' })
const { body } = (outcome as { result: { body: string } }).result
process.send?.((JSON.parse(body) as { pid: number }).pid)
