import { agentPath } from '../../../base/agents.ts'

/** Returns the path of a folder's page. An empty path is the workspace. */
export function folderPath(agentId: string, path: string): string {
  return agentPath(agentId, 'files') + (path === '' ? '' : `?path=${encodeURIComponent(path)}`)
}

/** Returns the address of a file's content. */
export function contentPath(agentId: string, path: string): string {
  const id = encodeURIComponent(agentId)
  return `/api/agents/${id}/files/content?path=${encodeURIComponent(path)}`
}
