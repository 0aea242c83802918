import * as z from 'zod'

/** The marker of OpenClaw's own context in messages with the role `user`. */
const runtimeContext = '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>'

/** The model ids that the stand-in accepts. */
const modelIds = ['echo', 'local/echo'] as const

const part = z.looseObject({ type: z.string(), text: z.string().optional() })
const message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(part)]).nullish(),
})

/** The part of OpenAI's chat completion request that the stand-in reads. */
export const completionSchema = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  max_tokens: z.number().int().min(1).nullish(),
})

export type CompletionRequest = z.output<typeof completionSchema>

export interface Answer {
  text: string
  finishReason: 'stop' | 'length'
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number }
}

export function isKnownModel(model: string): boolean {
  return modelIds.some((id) => id === model)
}

/** Estimates tokens as four characters each. The same text always gives the same number. */
function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4)
}

/** Returns the stand-in's reply: that it is a stand-in, how to configure a real model, and the last user message. */
export function answer(request: CompletionRequest): Answer {
  const texts = request.messages.map(({ content }) => textOf(content))
  const lastIndex = request.messages.findLastIndex(
    ({ role }, index) => role === 'user' && texts[index]?.startsWith(runtimeContext) !== true,
  )
  const whole =
    'I am the stand-in model of this machine: no real model is configured. ' +
    'Set AI_BASE_URL and AI_API_KEY to talk to one. ' +
    (lastIndex === -1 ? 'You said nothing yet.' : `You said: ${texts[lastIndex]}`)
  const text = whole.slice(0, (request.max_tokens ?? Infinity) * 4)
  const prompt = texts.reduce((sum, each) => sum + estimateTokens(each), 0)
  const completion = estimateTokens(text)
  return {
    text,
    finishReason: text.length < whole.length ? 'length' : 'stop',
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
    },
  }
}

function textOf(content: CompletionRequest['messages'][number]['content']): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text = '' }) => text).join('')
}
