import { connect } from 'node:net'
import nodemailer from 'nodemailer'
import { expect, test } from 'vitest'
import { type ArrivedMail, startMailIn } from './server.ts'

const address = 'chn_1@agents.localhost'

/** Starts a listener that knows one address. */
async function listening(take?: (mail: ArrivedMail) => Promise<void>) {
  const taken: ArrivedMail[] = []
  const server = await startMailIn({
    port: 0,
    knows: async (asked) => {
      if (asked.startsWith('broken')) throw new Error('no answer')
      return asked === address
    },
    take: take ?? (async (mail) => void taken.push(mail)),
  })
  const client = nodemailer.createTransport({ host: '127.0.0.1', port: server.port, secure: false })
  const send = (mail: object) => client.sendMail({ from: 'ada@example.com', text: 'Hi', ...mail })
  return { taken, send, port: server.port, [Symbol.asyncDispose]: () => server.close() }
}

test('a mail to a channel is taken as it was sent, with its envelope', async () => {
  await using listener = await listening()
  await listener.send({ to: address, subject: 'Grüße', messageId: '<1@example.com>' })
  await listener.send({ to: address, envelope: { from: '', to: address } })
  expect(listener.taken).toMatchObject([
    { envelopeFrom: 'ada@example.com', recipients: [address] },
    { envelopeFrom: '', recipients: [address] },
  ])
  expect(listener.taken[0]?.raw.toString()).toMatch(/^Message-ID: <1@example\.com>\r$/m)
})

test('other addresses are refused for good, and one that cannot be checked for now', async () => {
  await using listener = await listening()
  for (const to of ['ada@agents.localhost', 'chn_1@example.com'])
    await expect(listener.send({ to })).rejects.toMatchObject({ responseCode: 550 })
  await expect(listener.send({ to: 'broken@agents.localhost' })).rejects.toMatchObject({
    responseCode: 451,
  })
  expect(listener.taken).toEqual([])
})

test('a mail above 3 MB is refused, announced or not', async () => {
  await using listener = await listening()
  const text = 'a'.repeat(76).concat('\n').repeat(45_000)
  const large = listener.send({ to: address, text })
  await expect(large).rejects.toMatchObject({ responseCode: 552 })
  const said = await new Promise<string>((resolve, reject) => {
    let heard = ''
    const commands = `EHLO a\r\nMAIL FROM:<ada@example.com>\r\nRCPT TO:<${address}>\r\nDATA\r\n`
    const socket = connect(listener.port, '127.0.0.1')
    // A server may refuse a client that speaks before its greeting.
    socket.once('data', () =>
      socket.write(`${commands}${text.replaceAll('\n', '\r\n')}\r\n.\r\nQUIT\r\n`),
    )
    socket.on('data', (data) => (heard += data.toString()))
    socket.on('error', reject)
    socket.on('close', () => resolve(heard))
  })
  expect(said).toMatch(/^552 /m)
  expect(listener.taken).toEqual([])
})

test('a mail that cannot be kept is tried again by its sender', async () => {
  await using listener = await listening(() => Promise.reject(new Error('disk full')))
  const sending = listener.send({ to: address })
  await expect(sending).rejects.toMatchObject({ responseCode: 451 })
})
