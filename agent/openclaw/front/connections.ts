import * as z from 'zod'
import type { Log } from '../../gateway/log.ts'
import type { Settings } from '../../gateway/settings.ts'
import type { LiveConfig } from './live-config.ts'

/** In milliseconds. The start of OpenClaw waits for it. */
const listMs = 5000

/** The shortest time between two lists, in milliseconds. */
const againMs = 60_000

const listed = z.object({ connections: z.array(z.object({ name: z.string() })) })

/** Returns the names of the agent's connections; undefined if the platform does not respond. */
export async function connectionNames({
  ai,
  connections,
}: Pick<Settings, 'ai' | 'connections'>): Promise<string[] | undefined> {
  try {
    const answer = await fetch(connections, {
      headers: { authorization: `Bearer ${ai.apiKey}` },
      redirect: 'error',
      signal: AbortSignal.timeout(listMs),
    })
    if (!answer.ok) return undefined
    return listed.parse(await answer.json()).connections.map(({ name }) => name)
  } catch {
    return undefined
  }
}

/**
 * Returns a function that gives OpenClaw the agent's connections as servers, for requests of the platform. It lists them
 * at most once a minute, and not for an agent without connections.
 */
export function connectionUpdates(
  settings: Pick<Settings, 'ai' | 'connections'>,
  { config, log }: { config: LiveConfig; log: Log },
): (haveConnections: boolean) => void {
  let nextAt = 0
  return (haveConnections) => {
    const known = config.connectionNames
    const isDue = performance.now() >= nextAt
    if (!isDue || (!haveConnections && known.length === 0)) return
    nextAt = performance.now() + againMs
    void update(known).catch((error: unknown) =>
      log.info(`OpenClaw's servers were not updated: ${String(error)}`),
    )
  }

  async function update(known: readonly string[]): Promise<void> {
    const names = await connectionNames(settings)
    if (names === undefined || String(names) === String(known)) return
    await config.setConnections(names)
  }
}
