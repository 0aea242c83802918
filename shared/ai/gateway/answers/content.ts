import { isObject } from './form.ts'

/** The text of a message's content, and the model's thinking. */
interface ContentText {
  text: string
  thinking: string
}

/**
 * Returns the text of a content that is a list of parts. Mistral's and Databricks' reasoning models send thinking and
 * text in this form: https://docs.mistral.ai/capabilities/reasoning
 */
function textOfParts(parts: readonly unknown[]): ContentText {
  const read: ContentText = { text: '', thinking: '' }
  for (const part of parts) {
    if (typeof part === 'string') read.text += part
    else if (isObject(part)) {
      const isThought = typeof part.type === 'string' && /think|reason/.test(part.type)
      if (isThought) read.thinking += thoughtOf(part)
      else if (typeof part.text === 'string') read.text += part.text
    }
  }
  return read
}

function thoughtOf({ thinking, reasoning, summary, text }: Record<string, unknown>): string {
  const reasoningText = thinking ?? reasoning ?? summary ?? text
  if (typeof reasoningText === 'string') return reasoningText
  return Array.isArray(reasoningText) ? textOfParts(reasoningText).text : ''
}

/**
 * Returns a message or a delta with its content as text. Thinking parts become `reasoning_content`.
 * @returns the same object if nothing changes
 */
export function withTextContent(words: Record<string, unknown>): Record<string, unknown> {
  const { content } = words
  if (content === undefined || content === null || typeof content === 'string') return words
  if (!Array.isArray(content)) return { ...words, content: null }
  const { text, thinking } = textOfParts(content)
  return {
    ...words,
    content: text,
    ...(thinking !== '' && typeof words.reasoning_content !== 'string'
      ? { reasoning_content: thinking }
      : {}),
  }
}
