interface ModelOutput {
  content?: unknown
  reasoning?: unknown
  reasoning_content?: unknown
  refusal?: unknown
  function_call?: unknown
  tool_calls?: unknown
}

/** Returns the output of a model in a message or a delta: text, reasoning and tool calls. */
export function outputText(part: unknown): string {
  const { content, reasoning, reasoning_content, refusal, tool_calls, function_call } = (part ??
    {}) as ModelOutput
  // Some providers send the reasoning under both names.
  const thought = reasoning_content === reasoning ? undefined : reasoning_content
  const texts = [content, reasoning, thought, refusal].map(textOf)
  const calls = Array.isArray(tool_calls) ? tool_calls.map(callText) : []
  if (function_call !== undefined) calls.push(callText({ function: function_call }))
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
