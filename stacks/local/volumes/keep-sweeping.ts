import type { LocalCredentials } from '../clients/credentials.ts'
import type { Containers } from '../containers/start.ts'
import { agentsIn, sweepVolumes } from './sweep.ts'

/** No request waits for it, and a look costs one read a workspace. */
const everyMs = 60_000

/**
 * Sweeps the workspaces of agents that are gone, every minute until it is closed.
 * @param database the table that the agents are in; a sweep by another one would take theirs for gone
 */
export function keepSweeping(
  containers: Containers,
  database: { endpoint: string; tableName: string; credentials: LocalCredentials },
): { close(): Promise<void> } {
  const agents = agentsIn(database.endpoint, database.tableName, database.credentials)
  let sweeping: Promise<unknown> = Promise.resolve()
  const sweep = async () => {
    await sweepVolumes(containers, agents.exists).catch((error: unknown) =>
      process.emitWarning(error instanceof Error ? error : String(error)),
    )
  }
  const timer = setInterval(() => {
    sweeping = sweeping.then(sweep)
  }, everyMs).unref()
  return {
    async close() {
      clearInterval(timer)
      await sweeping
      agents.close()
    },
  }
}
