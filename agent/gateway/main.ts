import { once } from 'node:events'
import { fstatSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createLog } from './log.ts'
import { createGateway } from './server.ts'
import { SettingsError, readSettings } from './settings.ts'
import type { Settings } from './settings.ts'

// A reader of the log that went away must not take the agent with it.
process.stdout.on('error', () => {})

try {
  await start(readSettings(process.env))
} catch (error) {
  const known = error instanceof SettingsError
  process.stderr.write(`The agent gateway cannot start: ${known ? error.message : String(error)}\n`)
  process.exit(1)
}

async function start(settings: Settings): Promise<void> {
  const log = createLog(settings, (line) => process.stdout.write(`${line}\n`))
  const { server, work, sockets } = await createGateway(settings, log)
  server.listen(settings.port, settings.host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { agentId, agentName, generation, host } = settings
  const stop = async (reason: string, graceMs: number): Promise<void> => {
    if (!work.draining) log.say(`Agent ${agentId} stops: ${reason}`)
    await work.drain(graceMs)
    await sockets.close()
    process.exit(0)
  }
  process.once('SIGTERM', () => void stop('SIGTERM', settings.shutdownGraceMs))
  process.once('SIGINT', () => void stop('SIGINT', settings.shutdownGraceMs))
  // Whoever held the other end is gone, and with it the readers of the answers under way.
  if (settings.exitOnStdinEof && isPipe(0)) {
    process.stdin.resume().once('close', () => void stop('standard input closed', 0))
  }
  // Last: whoever reads that it listens may stop it at once.
  log.say(
    `Agent ${agentName} (${agentId}, generation ${generation}) listens on http://${host}:${port}` +
      ` after ${Math.round(performance.now())} ms`,
  )
}

/** Node hands children a socket where a shell hands them a pipe. */
function isPipe(descriptor: number): boolean {
  const info = fstatSync(descriptor)
  return info.isFIFO() || info.isSocket()
}
