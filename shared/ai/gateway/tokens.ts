import { sizeOf } from './images/size.ts'
import { type Image, imageTokens } from './images/tokens.ts'
import { promptFields } from './request-fields.ts'

/**
 * A low estimate, so that the estimated number of tokens is high: a token rarely has fewer than three bytes of UTF-8.
 */
export const bytesPerToken = 3

/** The tokens of a message besides its text: its role and separators. */
export const tokensPerMessage = 8

/** The minimum for a file or a sound. */
const tokensPerPart = 1500

/**
 * The tokens of a file by reference or an archive: the provider extracts it and reads up to the context size of most
 * models.
 */
export const tokensPerClosedFile = 128_000

const named = /"file_id"|"\s*[a-z][a-z\d+.-]*:\/\//i

/** Estimates the tokens of a text from its bytes. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}

type Prompt = {
  messages: readonly { content?: unknown; [field: string]: unknown }[]
  tools?: unknown
  response_format?: unknown
} & Partial<Record<(typeof promptFields)[number], unknown>>

/** The tokens of a prompt. The tokens of its images depend on the model. */
export interface PromptSize {
  /** All tokens except the images. */
  tokens: number
  images: readonly Image[]
}

/** Estimates the tokens of a prompt, and returns its images, whose tokens depend on the model. */
export function sizeOfPrompt({ messages, tools, response_format, ...more }: Prompt): PromptSize {
  const images: Image[] = []
  const tokens = messages.reduce(
    // All other fields of a message are counted too: names, calls, refusals, reasoning.
    (sum, { content, role: _, ...rest }) =>
      sum + tokensPerMessage + contentTokens(content, images) + jsonTokens(...Object.values(rest)),
    jsonTokens(tools, response_format, ...promptFields.map((field) => more[field])),
  )
  return { tokens, images }
}

/** @param model its routing id */
export function promptTokens({ tokens, images }: PromptSize, model: string): number {
  return images.reduce((sum, image) => sum + imageTokens(model, image), tokens)
}

/** Estimates the tokens of values as JSON. Absent values have none. */
export function jsonTokens(...values: readonly unknown[]): number {
  const present = values.filter((value) => value !== undefined && value !== null)
  return present.reduce<number>((sum, value) => sum + estimateTokens(JSON.stringify(value)), 0)
}

interface Part {
  type?: unknown
  text?: unknown
  image_url?: unknown
  file?: unknown
}

function contentTokens(content: unknown, images: Image[]): number {
  if (typeof content === 'string') return estimateTokens(content)
  if (!Array.isArray(content)) return 0
  return content.reduce<number>((sum, part: Part) => {
    if (part.type !== 'image_url') return sum + partTokens(part)
    const { url, detail } = (part.image_url ?? {}) as { url?: unknown; detail?: unknown }
    images.push({ size: sizeOf(String(url)), coarse: detail === 'low' })
    return sum
  }, 0)
}

/** A sound counts as its number of bytes, which exceeds its tokens. A file may be read as text. */
function partTokens(part: Part): number {
  if (part.type === 'text' && typeof part.text === 'string') return estimateTokens(part.text)
  const json = JSON.stringify(part)
  if (part.type !== 'file' && part.type !== 'input_audio') return estimateTokens(json)
  const closed = part.type === 'file' && (named.test(json) || !isText(part.file))
  return Math.max(closed ? tokensPerClosedFile : tokensPerPart, estimateTokens(json))
}

function isText(file: unknown): boolean {
  const data = (file as { file_data?: unknown } | null)?.file_data
  return typeof data === 'string' && data.startsWith('data:text/')
}
