import type { AgentFileEntry, AgentFileList, Platform } from '../../typescript/index.ts'

/** Lists all entries of a folder of an agent's files. */
export async function listRemote(
  platform: Platform,
  id: string,
  path: string,
  signal: AbortSignal,
): Promise<AgentFileEntry[]> {
  const entries: AgentFileEntry[] = []
  let cursor: string | null = null
  for (;;) {
    const query = { path, limit: 1000, ...(cursor !== null && { cursor }) }
    const page: AgentFileList = await platform.agents.files.list(id, query, { signal })
    entries.push(...page.entries)
    // A cursor that does not advance would never end.
    if (page.cursor === null || page.cursor === cursor) return entries
    cursor = page.cursor
  }
}
