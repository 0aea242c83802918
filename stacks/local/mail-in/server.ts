import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import { PortInUseError } from '../server/listen.ts'

/** The largest mail in bytes, as a body of `/in`: contract.md 18. */
const maxBytes = 3_000_000

/** RFC 5321, 4.5.3.1.8: a server takes at least so many. */
const maxRecipients = 100

export interface MailInOptions {
  /** 0 picks a free port. */
  port: number
  /** Returns true if a channel has the address. */
  knows(address: string): Promise<boolean>
  /** Keeps the mail. The sender's server is told that it arrived only afterwards. */
  take(mail: ArrivedMail): Promise<void>
}

/** A mail with its envelope. */
export interface ArrivedMail {
  raw: Buffer
  /** The return path; empty for bounces. */
  envelopeFrom: string
  recipients: string[]
}

export interface MailIn {
  port: number
  close(): Promise<void>
}

/** Starts an SMTP server on loopback that accepts mails to the addresses of channels. @throws PortInUseError */
export async function startMailIn({ port, knows, take }: MailInOptions): Promise<MailIn> {
  const server = new SMTPServer({
    banner: 'agents',
    size: maxBytes,
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    maxClients: 50,
    // An idle connection would otherwise delay the end of the stack.
    closeTimeout: 1000,
    onRcptTo: ({ address }, session, callback) => {
      void settle(checkRecipient(address, session, knows), callback)
    },
    onData: (stream, session, callback) => {
      void settle(receive(stream, session, take), callback)
    },
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new PortInUseError(port, { cause: error }) : error),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  // A client that breaks its connection is no fault of the server.
  server.on('error', () => {})
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Answers a command of the client when its work has ended. */
async function settle(
  work: Promise<Error | undefined>,
  callback: (error?: Error | null) => void,
): Promise<void> {
  callback(await work)
}

async function checkRecipient(
  address: string,
  { envelope }: SMTPServerSession,
  knows: MailInOptions['knows'],
): Promise<Error | undefined> {
  if (envelope.rcptTo.length >= maxRecipients) return refusal(452, 'Too many recipients')
  try {
    return (await knows(address)) ? undefined : refusal(550, 'No agent has this address')
  } catch {
    return refusal(451, 'The address cannot be checked now')
  }
}

async function receive(
  stream: Readable & { sizeExceeded: boolean },
  { envelope }: SMTPServerSession,
  take: MailInOptions['take'],
): Promise<Error | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= maxBytes) chunks.push(chunk)
  }
  if (stream.sizeExceeded || bytes > maxBytes)
    return refusal(552, `A mail has at most ${maxBytes} bytes`)
  try {
    await take({
      raw: Buffer.concat(chunks),
      envelopeFrom: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
      recipients: envelope.rcptTo.map(({ address }) => address),
    })
    return undefined
  } catch {
    return refusal(451, 'The mail cannot be kept now')
  }
}

/** Returns an answer to the client: 4xx for another attempt, 5xx for none. */
function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}
