import { createHmac, randomBytes, randomInt } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { graphError, type WhatsAppMedia, whatsappMedia } from './whatsapp-media.ts'

/** An error of the Graph API for the next message. */
export interface WhatsAppFault {
  status: number
  /** The error's code; without it the body is not of the Graph API. */
  code?: number
  retryAfter?: number
}

interface SentMessage {
  messaging_product: string
  recipient_type?: string
  to?: string
  recipient?: string
  type: string
  status?: string
  message_id?: string
  biz_opaque_callback_data?: string
  /** The content has the name of the type; media have an id. */
  text?: { body?: string; id?: string; caption?: string; filename?: string }
}

export interface WhatsAppSent {
  id: string
  body: SentMessage
}

export interface PlayedWhatsApp {
  /** WHATSAPP_API_URL. */
  url: string
  fields: { accessToken: string; phoneNumberId: string; appSecret: string; verifyToken: string }
  sent: WhatsAppSent[]
  /** The ids of messages that were marked as read with a typing indicator. */
  typed: string[]
  media: WhatsAppMedia
  /** Sets faults for the next messages, one each. `lost`: it is carried out, and its answer breaks off. */
  meets(...faults: ('lost' | WhatsAppFault)[]): void
  /** The people that wrote in the last 24 hours; only they can be written to. */
  open: Set<string>
  /** Returns a notification with the changes of a number, as Meta sends it. */
  notification(value: Record<string, unknown>, number?: string): Record<string, unknown>
  /** Returns the request that delivers a notification, signed with the app's secret. */
  signed(payload: unknown, secret?: string): { headers: Record<string, string>; body: string }
  close(): Promise<void>
}

/** Returns a new id of a message. */
export function newWamid(): string {
  return `wamid.HBgL${randomBytes(18).toString('base64')}`
}

/**
 * WhatsApp's Cloud API as Meta's documents describe it: it checks the version, the token, the app secret's proof, the
 * form and the limits of messages, and the 24 hours after a person's last message.
 */
export async function startWhatsApp(): Promise<PlayedWhatsApp> {
  const fields = {
    accessToken: `EAA${randomBytes(20).toString('hex')}`,
    phoneNumberId: String(randomInt(1e13, 9e13)),
    appSecret: randomBytes(16).toString('hex'),
    verifyToken: randomBytes(12).toString('hex'),
  }
  const sent: WhatsAppSent[] = []
  const typed: string[] = []
  const faults: ('lost' | WhatsAppFault)[] = []
  const open = new Set<string>()
  const media = whatsappMedia(fields)

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    await answer(request, response, Buffer.concat(chunks))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  media.base = url

  async function answer(request: IncomingMessage, response: ServerResponse, body: Buffer) {
    const { pathname, searchParams } = new URL(request.url ?? '', url)
    if (pathname.startsWith('/whatsapp_business/'))
      return media.serve(response, request.headers.authorization, searchParams.get('mid'))
    const [, version = '', id = '', edge] = pathname.split('/')
    const reply = (status: number, json: unknown, headers: Record<string, string> = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(json))
    if (!/^v\d+\.0$/.test(version)) return reply(400, graphError(2635, 'Unknown version'))
    if (request.headers.authorization !== `Bearer ${fields.accessToken}`)
      return reply(401, graphError(190, 'Invalid OAuth access token'))
    const proof = searchParams.get('appsecret_proof')
    if (proof !== null && proof !== proofOf(fields))
      return reply(400, graphError(100, 'Invalid appsecret_proof provided in the API argument'))
    if (id === fields.phoneNumberId && edge === undefined)
      return reply(200, { verified_name: 'Played', display_phone_number: '+1 555 0100', id })
    if (id === fields.phoneNumberId && edge === 'media')
      return reply(...(await media.upload(request.headers['content-type'] ?? '', body)))
    if (id === fields.phoneNumberId && edge === 'messages') return message(response, reply, body)
    const found = edge === undefined ? media.describe(id) : undefined
    return found ? reply(200, found) : reply(400, graphError(33, 'Unsupported get request'))
  }

  function message(response: ServerResponse, reply: Reply, bytes: Buffer) {
    const body = JSON.parse(bytes.toString()) as SentMessage
    if (body.messaging_product !== 'whatsapp')
      return reply(400, graphError(100, 'Invalid parameter'))
    if (body.status === 'read') {
      typed.push(body.message_id ?? '')
      return reply(200, { success: true })
    }
    const fault = faults.shift()
    if (typeof fault === 'object') {
      const headers: Record<string, string> =
        fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) }
      return reply(fault.status, fault.code ? graphError(fault.code, 'played') : {}, headers)
    }
    const wrong = refusalOf(body)
    if (wrong !== undefined) return reply(400, graphError(...wrong))
    const id = newWamid()
    sent.push({ id, body })
    if (fault === 'lost') return response.destroy()
    return reply(200, {
      messaging_product: 'whatsapp',
      contacts: [{ input: body.to, wa_id: body.to }],
      messages: [{ id }],
    })
  }

  function refusalOf(body: SentMessage): [number, string] | undefined {
    const to = body.to ?? body.recipient
    if (typeof to !== 'string' || to === '') return [131008, 'Required parameter is missing']
    if (!['individual', 'group'].includes(body.recipient_type ?? '')) return [100, 'recipient_type']
    if (!open.has(to)) return [131047, 'Re-engagement message']
    const content = body[body.type as 'text']
    if (body.type === 'text') {
      if (typeof content?.body !== 'string' || content.body === '') return [131008, 'text.body']
      return content.body.length > 4096 ? [100, 'text.body is too long'] : undefined
    }
    if (!media.isUploaded(body.type, content?.id)) return [131053, 'Media upload error']
    if (body.type === 'audio' && content?.caption !== undefined) return [100, 'caption']
    return undefined
  }

  return {
    url,
    fields,
    sent,
    typed,
    media,
    open,
    meets: (...next) => void faults.push(...next),
    notification: (value, number = fields.phoneNumberId) => ({
      object: 'whatsapp_business_account',
      entry: [
        {
          id: '102290129340398',
          changes: [
            {
              value: {
                messaging_product: 'whatsapp',
                metadata: { display_phone_number: '15550100', phone_number_id: number },
                ...value,
              },
              field: 'messages',
            },
          ],
        },
      ],
    }),
    signed(payload, secret = fields.appSecret) {
      const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
      const digest = createHmac('sha256', secret).update(body).digest('hex')
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'facebookexternalua',
        'x-hub-signature-256': `sha256=${digest}`,
      }
      return { headers, body }
    },
    close: () =>
      new Promise<void>((closed) => {
        server.closeAllConnections()
        server.close(() => closed())
      }),
  }
}

type Reply = (status: number, json: unknown, headers?: Record<string, string>) => void

function proofOf({ accessToken, appSecret }: PlayedWhatsApp['fields']): string {
  return createHmac('sha256', appSecret).update(accessToken).digest('hex')
}
