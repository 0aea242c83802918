import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { bootstrap, type StartConfig } from '../../gateway/bootstrap.ts'
import { inputEnded } from '../../gateway/input.ts'
import { guardLiveness } from '../../gateway/liveness/guard.ts'
import { createLog } from '../../gateway/log.ts'
import { OutputBudget } from '../../gateway/output/budget.ts'
import { printTo } from '../../gateway/output/print.ts'
import { SettingsError } from '../../gateway/settings.ts'
import { untilUnresponsive } from './answering.ts'
import { startOpenclaw } from './child.ts'
import { createFront } from './server.ts'
import { readFrontSettings } from './settings.ts'

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
  const settings = readFrontSettings(startConfig.environment)
  const { agentId, agentName, generation, host, port, shutdownGraceMs } = settings
  const budget = new OutputBudget()
  const log = createLog(settings, printTo(process.stdout, budget))
  const child = await startOpenclaw(settings, startConfig, budget)
  const front = createFront({ settings, child, log, budget })

  const stop = (reason: string): void => {
    if (!front.draining) log.info(`Agent ${agentId} stops: ${reason}`)
    front.drain()
    child.kill('SIGTERM')
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal))
  void orphaned
    .then(() => {
      stop('standard input closed')
      // The engine that would kill a slow container is gone.
      return delay(shutdownGraceMs, undefined, { ref: false })
    })
    .then(() => child.kill('SIGKILL'))
  void child.exited.then((code) => {
    log.info(`Agent ${agentId}: OpenClaw ended with ${code}`)
    process.exit(code)
  })

  front.server.listen(port, host)
  await once(front.server, 'listening')
  guardLiveness(settings.onHang)
  const bound = (front.server.address() as AddressInfo).port
  log.info(
    `Agent ${agentName} (${agentId}, generation ${generation}) listens on http://${host}:${bound}` +
      `, OpenClaw starts on port ${child.port}`,
  )

  for (;;) {
    await untilUnresponsive(child.port, () => front.draining)
    // A process that is stopping must end, so `onHang` does not apply to it.
    if (settings.onHang === 'kill' || front.draining) break
    log.info(`Agent ${agentId}: OpenClaw no longer answers`)
  }
  log.info(`Agent ${agentId}: OpenClaw no longer answers: killed`)
  child.kill('SIGKILL')
}
