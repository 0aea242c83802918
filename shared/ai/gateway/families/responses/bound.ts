import { sizeOf } from '../../images/size.ts'
import type { Image } from '../../images/tokens.ts'
import {
  estimateTokens,
  jsonTokens,
  type PromptSize,
  tokensPerClosedFile,
  tokensPerMessage,
} from '../../tokens.ts'
import type { Content } from './items.ts'
import type { ResponsesRequest } from './parse.ts'

/** Returns an estimate of a prompt's tokens that is rather too high than too low. */
export function sizeOfResponses({
  input,
  instructions,
  tools,
  text,
}: ResponsesRequest): PromptSize {
  const images: Image[] = []
  const base = jsonTokens(instructions, tools, text?.format) + tokensPerMessage
  if (typeof input === 'string') return { tokens: base + estimateTokens(input), images }
  const tokens = input.reduce((sum, item) => {
    if (item.type === 'message') return sum + tokensPerMessage + contentTokens(item.content, images)
    if (item.type === 'computer_call_output') {
      const { image_url } = Object(item['output']) as Record<string, unknown>
      images.push({ size: sizeOf(String(image_url)), coarse: false })
      return sum + tokensPerMessage
    }
    if (item.type !== 'function_call_output' && item.type !== 'custom_tool_call_output')
      return sum + tokensPerMessage + jsonTokens(item)
    return sum + tokensPerMessage + contentTokens(item.output, images)
  }, base)
  return { tokens, images }
}

function contentTokens(content: Content, images: Image[]): number {
  if (typeof content === 'string') return estimateTokens(content)
  return content.reduce((sum, part) => {
    if (part.type === 'input_image') {
      images.push({ size: sizeOf(part.image_url), coarse: part.detail === 'low' })
      return sum
    }
    // The provider unpacks a file and reads up to the context of most models.
    if (part.type === 'input_file') return sum + Math.max(tokensPerClosedFile, jsonTokens(part))
    return sum + jsonTokens(part)
  }, 0)
}
