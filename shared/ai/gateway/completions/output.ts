interface ModelOutput {
  content?: unknown
  reasoning?: unknown
  reasoning_content?: unknown
  refusal?: unknown
  tool_calls?: unknown
}

/** Returns the output of a model in a message or a delta: text, reasoning and tool calls. */
export function outputText(part: unknown): string {
  const { content, reasoning, reasoning_content, refusal, tool_calls } = (part ?? {}) as ModelOutput
  const texts = [content, reasoning, reasoning_content, refusal].map(textOf)
  const calls = Array.isArray(tool_calls) ? tool_calls.map(callText) : []
  return [...texts, ...calls].join('')
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return Array.isArray(value) ? JSON.stringify(value) : ''
}

function callText(call: unknown): string {
  const { function: called, custom } = (call ?? {}) as { function?: unknown; custom?: unknown }
  const {
    name,
    arguments: argumentsText,
    input,
  } = (called ?? custom ?? {}) as Record<string, unknown>
  return [name, argumentsText, input].filter((each) => typeof each === 'string').join('')
}
