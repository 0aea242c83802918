import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import { isObject } from '../../answers/form.ts'
import { isBase64 } from '../fields.ts'
import { clientTool } from './tools.ts'

const dataUrl = /^data:[^;,]+(?:;[^;,]+)*;base64,/i

/** More characters than a media type and its parameters have. */
const longestHead = 1000

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}

function isDataUrl(text: string): boolean {
  const [head = ''] = dataUrl.exec(text.slice(0, longestHead)) ?? []
  return head !== '' && isBase64(text.slice(head.length))
}

/** Items of tools that only models of OpenAI know, and of conversations that only OpenAI can read. */
const vendorItems = [
  'apply_patch_call',
  'apply_patch_call_output',
  'compaction',
  'computer_call',
  'computer_call_output',
  'configuration_update',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
] as const

/**
 * The schema of an item of the input, in OpenAI's form:
 * https://platform.openai.com/docs/api-reference/responses/create, as in its client 7.55.0.
 */
export const inputItem = once(() => {
  const noFile = z.null({ error: 'file_id: files are not stored' }).optional()
  const part = z.discriminatedUnion(
    'type',
    [
      z.looseObject({
        type: z.enum(['input_text', 'output_text', 'text', 'summary_text']),
        text: z.string(),
      }),
      z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
      z.looseObject({
        type: z.literal('input_image'),
        image_url: z.string().refine((url) => isAddress(url) || isDataUrl(url), {
          error: 'image_url must be an http address or a data URL in base64',
        }),
        detail: z.enum(['auto', 'low', 'high', 'original']).nullish(),
        file_id: noFile,
      }),
      z
        .looseObject({
          type: z.literal('input_file'),
          file_data: z
            .string()
            .refine((data) => isDataUrl(data) || isBase64(data), {
              error: 'file_data must be base64',
            })
            .nullish(),
          file_url: z
            .string()
            .refine(isAddress, { error: 'file_url must be an http address' })
            .nullish(),
          filename: z.string().nullish(),
          file_id: noFile,
        })
        .refine(({ file_data, file_url }) => (file_data ?? file_url ?? undefined) !== undefined, {
          path: ['file_data'],
          error: 'file_data or file_url is required',
        }),
      z.looseObject({
        type: z.literal('input_audio'),
        input_audio: z.looseObject({
          data: z.string().refine(isBase64, { error: 'data must be base64' }),
          format: z.string(),
        }),
      }),
    ],
    {
      error:
        'type must be input_text, input_image, input_file, input_audio, output_text or refusal',
    },
  )
  const content = z.union([z.string(), z.array(part)])
  const call_id = z.string().min(1)
  const namespace = z.string().nullish()
  const text = z.looseObject({ text: z.string() })
  return z.discriminatedUnion(
    'type',
    [
      z.looseObject({
        type: z.literal('message'),
        role: z.enum(['user', 'assistant', 'system', 'developer'], {
          error: 'role must be user, assistant, system or developer',
        }),
        content,
      }),
      z.looseObject({
        type: z.literal('function_call'),
        call_id,
        name: z.string().min(1),
        namespace,
        arguments: z.string(),
      }),
      z.looseObject({ type: z.literal('function_call_output'), call_id, output: content }),
      z.looseObject({
        type: z.literal('custom_tool_call'),
        call_id,
        name: z.string().min(1),
        namespace,
        input: z.string(),
      }),
      z.looseObject({ type: z.literal('custom_tool_call_output'), call_id, output: content }),
      z.looseObject({
        type: z.literal('reasoning'),
        summary: z.array(text).nullish(),
        content: z.array(text).nullish(),
        encrypted_content: z.string().nullish(),
      }),
      z.looseObject({
        type: z.literal('tool_search_call'),
        call_id: call_id.nullish(),
        arguments: z.unknown(),
      }),
      z.looseObject({
        type: z.literal('tool_search_output'),
        call_id: call_id.nullish(),
        tools: z.array(clientTool()),
      }),
      z.looseObject({ type: z.literal('additional_tools'), tools: z.array(clientTool()) }),
      z
        .looseObject({ type: z.enum(vendorItems) })
        .refine(({ output }) => !isObject(output) || (output.file_id ?? null) === null, {
          path: ['output', 'file_id'],
          error: 'file_id: files are not stored',
        }),
    ],
    {
      error: ({ input }) => {
        const type = (input as { type?: unknown } | null)?.type ?? null
        return type === 'item_reference'
          ? 'type item_reference is not supported: responses are not stored, so send the item itself'
          : `type ${JSON.stringify(type)} is not supported: it is unknown, or the item of a tool that the provider runs`
      },
    },
  )
})

export type Item = z.output<ReturnType<typeof inputItem>>

export type ItemOf<Type extends Item['type']> = Extract<Item, { type: Type }>

export type Content = ItemOf<'message'>['content']
