import type { LocalCredentials } from '../clients/credentials.ts'
import type { Containers } from '../containers/start.ts'
import { agentsIn, sweepVolumes } from './sweep.ts'

/** Nothing waits for a sweep, and it costs one read per workspace. */
const everyMs = 60_000

/**
 * Removes the workspaces of deleted agents every minute until it is closed.
 * @param database the table with the agents; with another table, their workspaces would be removed
 */
export function startSweeping(
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
