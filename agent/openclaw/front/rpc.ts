import { Problem } from '../../gateway/http/problem.ts'

/** The time limit of a connection to OpenClaw, for all its calls together. */
const totalMs = 10_000

/** The version of the protocol: OpenClaw's docs, gateway/protocol/handshake. */
const protocol = 4

/** Calls one of OpenClaw's methods. @throws Problem 502 with OpenClaw's error message */
export type Call = (method: string, params: object) => Promise<unknown>

interface Frame {
  type?: unknown
  event?: unknown
  id?: unknown
  ok?: unknown
  payload?: unknown
  error?: { message?: unknown }
}

/**
 * Calls OpenClaw's methods over a new connection, as the local backend with all permissions: its docs,
 * gateway/protocol/handshake, on `gateway-client`.
 * @throws Problem 502 if it refuses, 503 if it cannot be reached, 504 if it takes longer than 10 s
 */
export async function withRpc<T>(
  { port, token }: { port: number; token: string },
  work: (call: Call) => Promise<T>,
): Promise<T> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`)
  const broken = Promise.withResolvers<never>()
  broken.promise.catch(() => {})
  const waiting = new Map<string, (frame: Frame) => void>()
  const challenged = Promise.withResolvers<void>()
  socket.addEventListener('message', ({ data }) => {
    const frame = JSON.parse(String(data)) as Frame
    if (frame.event === 'connect.challenge') challenged.resolve()
    if (frame.type === 'res') waiting.get(String(frame.id))?.(frame)
  })
  socket.addEventListener('close', () => {
    broken.reject(new Problem(503, 'starting', 'The agent’s runtime cannot be reached now'))
  })
  const timer = setTimeout(() => {
    broken.reject(new Problem(504, 'runtime_timeout', 'The agent’s runtime did not answer'))
  }, totalMs)

  const call: Call = async (method, params) => {
    const id = String(waiting.size + 1)
    const answered = new Promise<Frame>((resolve) => waiting.set(id, resolve))
    socket.send(JSON.stringify({ type: 'req', id, method, params }))
    const { ok, payload, error } = await Promise.race([answered, broken.promise])
    if (ok === true) return payload
    throw new Problem(502, 'runtime_failed', String(error?.message ?? 'The runtime refused'))
  }
  try {
    await Promise.race([challenged.promise, broken.promise])
    await call('connect', {
      minProtocol: protocol,
      maxProtocol: protocol,
      client: { id: 'gateway-client', version: '1', platform: process.platform, mode: 'backend' },
      role: 'operator',
      scopes: ['operator.admin', 'operator.pairing', 'operator.read', 'operator.write'],
      caps: [],
      auth: { token },
    })
    return await work(call)
  } finally {
    clearTimeout(timer)
    socket.close()
  }
}
