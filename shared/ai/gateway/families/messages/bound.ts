import { sizeOf } from '../../images/size.ts'
import type { Image } from '../../images/tokens.ts'
import {
  estimateTokens,
  jsonTokens,
  type PromptSize,
  tokensPerClosedFile,
  tokensPerMessage,
} from '../../tokens.ts'
import type { Block, MessagesRequest } from './parse.ts'

/** Returns the estimated tokens of a prompt, on the high side. */
export function sizeOfMessages({ messages, system, tools, ...more }: MessagesRequest): PromptSize {
  const images: Image[] = []
  const format = more.output_config?.format
  const tokens = messages.reduce(
    (sum, { content }) => sum + tokensPerMessage + contentTokens(content, images),
    jsonTokens(system, tools, format),
  )
  return { tokens, images }
}

type Part = Block | { type: 'tool_reference' }

function contentTokens(content: string | readonly Part[], images: Image[]): number {
  if (typeof content === 'string') return estimateTokens(content)
  return content.reduce((sum, block) => sum + blockTokens(block, images), 0)
}

function blockTokens(block: Part, images: Image[]): number {
  switch (block.type) {
    case 'text':
      return estimateTokens(block.text)
    case 'image':
      images.push({ size: sizeOf(urlOf(block.source)), coarse: false })
      return 0
    case 'document':
      return documentTokens(block, images)
    case 'tool_result':
      return tokensPerMessage + contentTokens(block.content ?? '', images)
    default:
      return jsonTokens(block)
  }
}

type Source = Extract<Block, { type: 'image' }>['source']

/** The address of an image. One in base64 becomes a data URL. */
export function urlOf(source: Source): string {
  return source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`
}

/** The provider unpacks a file and reads up to the context of most models. */
function documentTokens(
  { source, title, context }: Extract<Block, { type: 'document' }>,
  images: Image[],
): number {
  const words = jsonTokens(title, context)
  if (source.type === 'text') return words + estimateTokens(source.data)
  if (source.type === 'content') return words + contentTokens(source.content, images)
  return words + Math.max(tokensPerClosedFile, jsonTokens(source))
}
