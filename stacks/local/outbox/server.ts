import { mkdir } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { accessCheck, refusals } from '../clients/credentials.ts'
import { closeServer, listen } from '../server/listen.ts'
import { readJson, sendJson } from '../server/read-json.ts'
import { sendEmailSchema, writeMail } from './mail.ts'

export interface Outbox {
  endpoint: string
  port: number
  close(): Promise<void>
}

export interface OutboxOptions {
  dir: string
  port?: number
  /** The required access key id; without it, every id passes. */
  accessKeyId?: string | undefined
}

/** Starts SES v2's SendEmail on loopback. Every mail becomes a file in `dir`. */
export async function startOutbox({ dir, port = 0, accessKeyId }: OutboxOptions): Promise<Outbox> {
  const access = accessCheck(accessKeyId)
  await mkdir(dir, { recursive: true })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = access(request.headers.authorization)
    if (refusal) {
      refuse(response, 403, refusals[refusal].type, refusals[refusal].message)
      return
    }
    if (request.method !== 'POST' || request.url !== '/v2/email/outbound-emails') {
      refuse(response, 404, 'NotFoundException', 'only SendEmail is there')
      return
    }
    const email = sendEmailSchema.safeParse(await readJson(request).catch(() => undefined))
    if (!email.success) {
      refuse(response, 400, 'BadRequestException', email.error.issues[0]?.message ?? 'no message')
      return
    }
    sendJson(response, 200, { MessageId: await writeMail(dir, email.data) })
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) =>
      refuse(response, 500, 'InternalServiceError', String(error)),
    )
  })
  const bound = await listen(server, port)
  return {
    endpoint: `http://127.0.0.1:${bound}`,
    port: bound,
    close: () => closeServer(server, 1000),
  }
}

function refuse(response: ServerResponse, status: number, type: string, message: string): void {
  response.setHeader('x-amzn-errortype', type)
  sendJson(response, status, { message })
}
