import * as z from 'zod'
import type { Settings } from '../../gateway/settings.ts'

/** In milliseconds. The start of OpenClaw waits for it. */
const listMs = 5000

const listed = z.object({ connections: z.array(z.object({ name: z.string() })) })

/**
 * Returns the names of the agent's connections, for OpenClaw's configuration. If the platform does not
 * respond, the list is empty until the next start.
 */
export async function connectionNames({
  ai,
  connections,
}: Pick<Settings, 'ai' | 'connections'>): Promise<string[]> {
  if (connections === undefined) return []
  try {
    const answer = await fetch(connections, {
      headers: { authorization: `Bearer ${ai.apiKey}` },
      redirect: 'error',
      signal: AbortSignal.timeout(listMs),
    })
    if (!answer.ok) return []
    return listed.parse(await answer.json()).connections.map(({ name }) => name)
  } catch {
    return []
  }
}
