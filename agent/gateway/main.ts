import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openFiles } from '../files/open.ts'
import { bootstrap } from './bootstrap.ts'
import { answerInbox } from './bus/at-start.ts'
import { inputEnded } from './input.ts'
import { guardLiveness } from './liveness/guard.ts'
import { createLog } from './log.ts'
import { OutputBudget } from './output/budget.ts'
import { printTo } from './output/print.ts'
import { createGateway } from './server.ts'
import { readSettings, type Settings, SettingsError } from './settings.ts'

// A closed log pipe must not crash the agent.
process.stdout.on('error', () => {})

const orphaned = inputEnded(process.env)

try {
  const config = await Promise.race([bootstrap(process.env), orphaned])
  if (config === undefined) process.exit(0)
  // The user's credentials are not used, because this gateway runs no programs.
  await start(readSettings(config.environment))
} catch (error) {
  const known = error instanceof SettingsError
  process.stderr.write(`The agent gateway cannot start: ${known ? error.message : String(error)}\n`)
  process.exit(1)
}

async function start(settings: Settings): Promise<void> {
  const budget = new OutputBudget()
  const log = createLog(settings, printTo(process.stdout, budget))
  // Before the files are restored, there is nothing to finish: a signal ends the process at once.
  let stop = async (_reason: string, _graceMs: number): Promise<void> => process.exit(0)
  // The parent process is gone, and with it the readers of active responses.
  void orphaned.then(() => stop('standard input closed', 0))
  const { agentId, agentName, generation, host } = settings
  guardLiveness(settings.onHang)
  const files = await openFiles(settings, {
    root: settings.workspace,
    log: log.info,
    onHeld: () => void stop('a later container has its files', 0),
  })
  // The agent's own files are below this folder. Its sessions, memory and skills are beside it.
  if (files !== undefined) await mkdir(join(settings.workspace, 'workspace'), { recursive: true })
  const gateway = await createGateway({ settings, log, budget, keptFiles: files })
  const { server, work, sockets, agent } = gateway
  server.listen(settings.port, settings.host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  stop = async (reason, graceMs) => {
    if (!work.draining) log.info(`Agent ${agentId} stops: ${reason}`)
    await work.drain(graceMs)
    await sockets.close()
    await files?.close()
    process.exit(0)
  }
  process.once('SIGTERM', () => void stop('SIGTERM', settings.shutdownGraceMs))
  process.once('SIGINT', () => void stop('SIGINT', settings.shutdownGraceMs))
  files?.watch()
  void answerInbox(agent, work, log)
  // Printed last, because a reader of this line may stop the gateway immediately.
  log.info(
    `Agent ${agentName} (${agentId}, generation ${generation}) listens on http://${host}:${port}` +
      ` after ${Math.round(performance.now())} ms`,
  )
}
