import type { Connection, KeptTool } from './find.ts'
import type { ConnectionView } from './schema.ts'

/** Returns a connection as its owner sees it: without the data of the sign-in. */
export function viewOf(
  { name, url, state, reason, createdAt, allow }: Connection,
  tools: readonly Pick<KeptTool, 'name' | 'description'>[],
): ConnectionView {
  return {
    name,
    url,
    state,
    ...(reason !== undefined && { reason }),
    createdAt,
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description ?? '',
      allowed: allow.includes(tool.name),
    })),
  }
}
