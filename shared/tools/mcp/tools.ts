import type { Tool, ToolKind } from './tool.ts'
import { agentTools } from './tools/agents.ts'
import { approvalTools } from './tools/approvals.ts'
import { costTools } from './tools/costs.ts'
import { fileTools } from './tools/files.ts'
import { talkTools } from './tools/talk.ts'
import { workspaceTools } from './tools/workspace.ts'

/** Every tool of the platform: contract.md 12. No tool reads keys, passwords, billing or wallets. */
const tools: readonly Tool[] = [
  ...agentTools,
  ...talkTools,
  ...workspaceTools,
  ...fileTools,
  ...approvalTools,
  ...costTools,
]

/** Returns the tools that a caller may list. @param scopes of the key or token; undefined for all */
export function toolsFor({
  readOnly,
  scopes,
}: {
  readOnly: boolean
  scopes: readonly string[] | undefined
}): readonly Tool[] {
  const all = scopes === undefined || scopes.includes('write') || scopes.includes('admin')
  const kinds: ToolKind[] = ['read']
  if (!readOnly && (all || scopes.includes('chat'))) kinds.push('chat')
  if (!readOnly && all) kinds.push('write')
  return tools.filter(({ kind }) => kinds.includes(kind))
}
