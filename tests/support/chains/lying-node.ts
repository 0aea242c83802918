import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Question {
  id: number
  method: string
  params: unknown[]
}

/**
 * A proxy of a node that changes its results; an Error as a result becomes a JSON-RPC error.
 * @param isDown called before each request; if true, the request gets no response
 */
export async function startLyingNode(
  honest: string,
  lie: (question: Question, result: unknown) => unknown,
  isDown: () => Promise<boolean> | boolean = () => false,
) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (await isDown()) {
      request.socket.destroy()
      return
    }
    const body = Buffer.concat(chunks).toString()
    const answer = await fetch(honest, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const questions = [JSON.parse(body)].flat() as Question[]
    const told = ([await answer.json()].flat() as { id: number; result?: unknown }[]).map((one) => {
      const question = questions.find(({ id }) => id === one.id)
      if (question === undefined || !('result' in one)) return one
      const lied = lie(question, one.result)
      return lied instanceof Error
        ? { jsonrpc: '2.0', id: one.id, error: { code: -32_000, message: lied.message } }
        : Object.assign(one, { result: lied })
    })
    response.end(JSON.stringify(body.startsWith('[') ? told : told[0]))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
