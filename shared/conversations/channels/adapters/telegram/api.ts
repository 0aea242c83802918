import * as z from 'zod'
import type { HttpAnswer } from '#shared/platform/http-client/client.ts'
import { once } from '#shared/platform/once.ts'
import type { AdapterContext } from '../adapter.ts'
import { jsonText } from '../json-body.ts'

/** The largest response in bytes: 100 updates, each with the longest text and its entities. */
const maxBytes = 8_388_608

/** core.telegram.org/bots/api#making-requests */
const response = once(() =>
  z.object({
    ok: z.boolean(),
    result: z.unknown().optional(),
    description: z.string().optional().catch(undefined),
    parameters: z
      .object({
        retry_after: z.number().optional().catch(undefined),
        migrate_to_chat_id: z.number().optional().catch(undefined),
      })
      .optional()
      .catch(undefined),
  }),
)

interface TelegramRefusal {
  ok: false
  status: number
  description: string
  /** Seconds until the bot may send again. */
  retryAfter: number | undefined
  /** The new id of a group that became a supergroup. */
  movedTo: string | undefined
}

export interface TelegramCall {
  token: string
  method: string
  fields?: Readonly<Record<string, unknown>>
  /** A file, which is sent as a form together with the fields. */
  file?: { field: string; name: string; mime: string; body: Uint8Array<ArrayBuffer> }
  totalMs?: number
}

/**
 * Calls a method of Telegram's Bot API. The address contains the token, so no error contains the address.
 * @throws HttpFailure if no response arrives in time
 */
export async function callTelegram(
  ctx: AdapterContext,
  { token, method, fields = {}, file, totalMs = 20_000 }: TelegramCall,
): Promise<{ ok: true; result: unknown } | TelegramRefusal> {
  const url = `${apiOf(ctx)}/bot${token}/${method}`
  const body = file === undefined ? { json: fields } : await formOf(fields, file)
  const answer = await ctx.http({ url, method: 'POST', ...body, totalMs, maxBytes })
  const { data } = response().safeParse(jsonText((await answer.whole()).toString()))
  if (data?.ok === true) return { ok: true, result: data.result }
  const movedTo = data?.parameters?.migrate_to_chat_id
  return {
    ok: false,
    // A response that is not in the API’s form comes from a proxy.
    status: data === undefined && answer.status < 500 ? 502 : answer.status,
    description: data?.description ?? `status ${answer.status}`,
    retryAfter: data?.parameters?.retry_after,
    movedTo: movedTo === undefined ? undefined : `${movedTo}`,
  }
}

/**
 * Requests a file by the path that getFile returned.
 * @param input.most the limit in bytes
 * @throws HttpFailure if no response begins in time
 */
export function requestFile(
  ctx: AdapterContext,
  { token, path, most }: { token: string; path: string; most: number },
): Promise<HttpAnswer> {
  const encoded = path.split('/').map(encodeURIComponent).join('/')
  const url = `${apiOf(ctx)}/file/bot${token}/${encoded}`
  return ctx.http({ url, maxBytes: most })
}

function apiOf({ config }: AdapterContext): string {
  return config.TELEGRAM_API_URL.replace(/\/$/, '')
}

async function formOf(
  fields: Readonly<Record<string, unknown>>,
  { field, name, mime, body }: NonNullable<TelegramCall['file']>,
) {
  const form = new FormData()
  for (const [key, value] of Object.entries(fields))
    form.set(key, typeof value === 'string' ? value : JSON.stringify(value))
  form.set(field, new Blob([body], { type: mime }), name)
  const encoded = new Response(form)
  return {
    headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
    body: Buffer.from(await encoded.arrayBuffer()),
  }
}
