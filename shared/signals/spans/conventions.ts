/**
 * Attribute names of OpenTelemetry's conventions for generative AI, in the version of the URL. The conventions are
 * in development, so later versions can use other names.
 */
export const schemaUrl = 'https://opentelemetry.io/schemas/1.41.0'

export const scopeName = 'agent-platform'

export const attribute = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  /** Parts of the input and output tokens. */
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  agentId: 'gen_ai.agent.id',
  agentName: 'gen_ai.agent.name',
  conversationId: 'gen_ai.conversation.id',
  toolName: 'gen_ai.tool.name',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  /** The number of messages that were left out because of their size; the conventions have no name for it. */
  inputMessagesLeftOut: 'agent_platform.input.messages.left_out',
  outputMessagesLeftOut: 'agent_platform.output.messages.left_out',
  errorType: 'error.type',
  /** The cost of a call in USD; the conventions have no name for it. */
  cost: 'agent_platform.usage.cost_usd',
} as const

/** The operations of spans, by the conventions' names. */
export type SpanOperation = 'invoke_agent' | 'chat' | 'execute_tool'

/** `SpanKind` of OTLP: the caller of another service is a client. */
export const spanKind = { internal: 1, client: 3 } as const
