import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { openFiles } from '../../files/open.ts'
import { bootstrap, type StartConfig } from '../../gateway/bootstrap.ts'
import { inputEnded } from '../../gateway/input.ts'
import { guardLiveness } from '../../gateway/liveness/guard.ts'
import { createLog } from '../../gateway/log.ts'
import { OutputBudget } from '../../gateway/output/budget.ts'
import { printTo } from '../../gateway/output/print.ts'
import { SettingsError } from '../../gateway/settings.ts'
import { untilUnresponsive } from './answering.ts'
import { startOpenclaw } from './child.ts'
import { connectionNames } from './connections.ts'
import { createFront } from './server.ts'
import { readFrontSettings } from './settings.ts'

/**
 * OpenClaw may wait five minutes for active work and its plugins. It is killed after this many grace periods, a minute by
 * default, so that its files are stored within the container's stop timeout of two minutes.
 */
const drainGraces = 6

// A closed log pipe must not crash the agent.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

const orphaned = inputEnded(process.env)

try {
  const config = await Promise.race([bootstrap(process.env), orphaned])
  if (config === undefined) process.exit(0)
  await start(config)
} catch (error) {
  const known = error instanceof SettingsError
  process.stderr.write(`The agent cannot start: ${known ? error.message : String(error)}\n`)
  process.exit(1)
}

/** Runs OpenClaw behind the agent's port, and exits as OpenClaw exits. */
async function start(startConfig: StartConfig): Promise<void> {
  const read = readFrontSettings(startConfig.environment)
  const names = read.hasConnections ? await connectionNames(read) : undefined
  const settings = { ...read, connectionNames: names ?? [] }
  const { agentId, agentName, generation, host, port, shutdownGraceMs } = settings
  const budget = new OutputBudget()
  const log = createLog(settings, printTo(process.stdout, budget))
  // Before the files are restored, there is nothing to finish: a signal ends the process at once.
  let stop = (_reason: string): void => process.exit(0)
  void orphaned.then(() => stop('standard input closed'))
  guardLiveness(settings.onHang)
  const files = await openFiles(settings, {
    root: settings.dataDir,
    log: log.info,
    onHeld: () => stop('a later container has its files'),
  })
  const child = await startOpenclaw(settings, startConfig, budget)
  const front = createFront({ settings, child, log, budget, files })

  stop = (reason) => {
    if (!front.draining) log.info(`Agent ${agentId} stops: ${reason}`)
    front.drain()
    child.kill('SIGTERM')
    void delay(drainGraces * shutdownGraceMs, undefined, { ref: false }).then(() =>
      child.kill('SIGKILL'),
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal))
  void orphaned
    // The engine that would kill a slow container is gone.
    .then(() => delay(shutdownGraceMs, undefined, { ref: false }))
    .then(() => child.kill('SIGKILL'))
  void child.exited.then(async (code) => {
    log.info(`Agent ${agentId}: OpenClaw ended with ${code}`)
    // The container ends, even if OpenClaw ended by itself.
    front.drain()
    await files?.close()
    process.exit(code)
  })

  front.server.listen(port, host)
  await once(front.server, 'listening')
  files?.watch()
  const bound = (front.server.address() as AddressInfo).port
  log.info(
    `Agent ${agentName} (${agentId}, generation ${generation}) listens on http://${host}:${bound}` +
      `, OpenClaw starts on port ${child.port}`,
  )

  for (;;) {
    const answers = untilUnresponsive(child.port, () => front.draining).then(() => false)
    const hasEnded = await Promise.race([answers, child.exited.then(() => true)])
    if (hasEnded) return
    // A process that is stopping must end, so `onHang` does not apply to it.
    if (settings.onHang === 'kill' || front.draining) break
    log.info(`Agent ${agentId}: OpenClaw no longer answers`)
  }
  log.info(`Agent ${agentId}: OpenClaw no longer answers: killed`)
  child.kill('SIGKILL')
}
