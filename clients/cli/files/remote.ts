import type { AgentFileEntry, Platform } from '../../typescript/index.ts'

/** Lists all entries of a folder of an agent's files. */
export async function listRemote(
  platform: Platform,
  id: string,
  path: string,
  signal: AbortSignal,
): Promise<AgentFileEntry[]> {
  const entries: AgentFileEntry[] = []
  let cursor: string | null | undefined
  do {
    const query = { path, limit: 1000, ...(cursor && { cursor }) }
    const page = await platform.agents.files.list(id, query, { signal })
    entries.push(...page.entries)
    cursor = page.cursor
  } while (cursor)
  return entries
}
