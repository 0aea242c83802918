import type { Effect } from '#shared/permits/policy/effect.ts'

type ToolEffect = Extract<Effect, { action: 'tool.call' }>

/** Returns a call of a connection's tool as the effect that the agent's policy decides. */
export function toolEffect(
  { name, readOnly }: { name: string; readOnly: readonly string[] },
  tool: string,
): ToolEffect {
  return {
    action: 'tool.call',
    target: { connection: name, tool },
    readOnly: readOnly.includes(tool),
  }
}

/** Returns one line for people about a call. */
export function toolSummary({ target: { connection, tool } }: ToolEffect): string {
  // The name is a text of the server.
  const shown = tool.replaceAll(/[^\x20-\x7e]/g, '?')
  return `Call the tool ${shown} of the connection ${connection}`
}
