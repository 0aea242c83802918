import type { KeptTool } from './find.ts'

/** The size of the declarations of one connection that a model gets in each turn, in bytes. About 16,000 tokens. */
const maxBytes = 65_536

/** A tool that the agent does not get, and why. */
export interface LeftOut {
  name: string
  reason: string
}

/**
 * Divides the allowed tools of a connection, in the server's order, into those that the agent gets and those that would
 * make its prompts too long.
 */
export function offered<Tool extends Pick<KeptTool, 'name' | 'declared'>>(
  tools: readonly Tool[],
  allow: readonly string[],
): { tools: Tool[]; leftOut: LeftOut[] } {
  const names = new Set(allow)
  let left = maxBytes
  const fit: Tool[] = []
  const leftOut: LeftOut[] = []
  for (const tool of tools) {
    if (!names.has(tool.name)) continue
    const bytes = Buffer.byteLength(tool.declared)
    if (bytes <= left) {
      left -= bytes
      fit.push(tool)
    } else
      leftOut.push({
        name: tool.name,
        reason: `the allowed tools have more than ${maxBytes} bytes`,
      })
  }
  return { tools: fit, leftOut }
}
