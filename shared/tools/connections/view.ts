import type { Connection, KeptTools } from './find.ts'
import { offered } from './offered.ts'
import type { ConnectionView } from './schema.ts'

/** Returns a connection as its owner sees it: without the data of the sign-in. */
export function viewOf(
  { name, url, state, reason, createdAt, allow }: Connection,
  { tools, invalid = [] }: Pick<KeptTools, 'tools' | 'invalid'> = { tools: [] },
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
    leftOut: [
      ...offered(tools, allow).leftOut,
      ...invalid.map((tool) => ({ name: tool, reason: 'its declaration is invalid' })),
    ],
  }
}
