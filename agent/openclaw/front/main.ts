import { once } from 'node:events'
import { fstatSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createLog } from '../../gateway/log.ts'
import { SettingsError } from '../../gateway/settings.ts'
import { startOpenclaw } from './child.ts'
import { createFront } from './server.ts'
import { readFrontSettings } from './settings.ts'

// A reader of the log that went away must not take the agent with it.
process.stdout.on('error', () => {})

try {
  await start()
} catch (error) {
  const known = error instanceof SettingsError
  process.stderr.write(`The agent cannot start: ${known ? error.message : String(error)}\n`)
  process.exit(1)
}

/** Runs OpenClaw behind the agent's port, and ends as it ends. */
async function start(): Promise<void> {
  const settings = readFrontSettings(process.env)
  const { agentId, agentName, generation, host, port, shutdownGraceMs } = settings
  const log = createLog(settings, (line) => process.stdout.write(`${line}\n`))
  const child = await startOpenclaw(settings)
  const front = createFront({ settings, child, log })

  const stop = (reason: string): void => {
    if (!front.draining) log.say(`Agent ${agentId} stops: ${reason}`)
    front.drain()
    child.kill('SIGTERM')
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal))
  if (settings.exitOnStdinEof && isPipe(0)) {
    process.stdin.resume().once('close', async () => {
      stop('standard input closed')
      // Whoever would end a container that takes too long is gone.
      await delay(shutdownGraceMs, undefined, { ref: false })
      child.kill('SIGKILL')
    })
  }
  void child.exited.then((code) => {
    log.say(`Agent ${agentId}: OpenClaw ended with ${code}`)
    process.exit(code)
  })

  front.server.listen(port, host)
  await once(front.server, 'listening')
  const bound = (front.server.address() as AddressInfo).port
  log.say(
    `Agent ${agentName} (${agentId}, generation ${generation}) listens on http://${host}:${bound}` +
      `, OpenClaw starts on port ${child.port}`,
  )
}

/** Node hands children a socket where a shell hands them a pipe. */
function isPipe(descriptor: number): boolean {
  const info = fstatSync(descriptor)
  return info.isFIFO() || info.isSocket()
}
