import { randomUUID } from 'node:crypto'
import { FunctionError, report } from './errors.ts'
import type { AskDatabase, Link, LinkOptions, OpenLink } from './link.ts'
import type { FromRuntime, ResponseHead, ReportedError } from './protocol.ts'

/** The destination of a streamed response. */
export interface Sink {
  /** @param alone true if no chunk follows immediately */
  head(head: ResponseHead, alone: boolean): void
  /** @returns a promise if the client reads slowly; it resolves when there is room for more */
  write(bytes: Uint8Array): Promise<void> | undefined
}

export interface InvokeOptions {
  sink?: Sink
  signal?: AbortSignal
  /** For a function that accepts uploads: the request itself, in addition to its event. */
  upload?: UploadSource | undefined
  /** The trace header of the invocation, which the AWS SDK sends with each request that the function makes. */
  trace?: string | undefined
}

/** A request as it arrived. Its body is read no faster than the function consumes it. */
export interface UploadSource {
  /** Path and query, unchanged. */
  target: string
  body: AsyncIterator<Uint8Array> | undefined
}

/** The outcome of an invocation: a result to send, or nothing because the sink received all of it. */
export type InvocationOutcome = { streamed: true } | { streamed: false; result: unknown }

interface Pending {
  settle(outcome: InvocationOutcome): void
  fail(error: FunctionError): void
  sink: Sink | undefined
  upload: UploadSource | undefined
}

export interface Instance {
  invoke(event: unknown, options: InvokeOptions): Promise<InvocationOutcome>
  /** False if the instance accepts no more invocations. */
  readonly usable: boolean
  readonly idle: boolean
  end(): Promise<void>
}

/**
 * A running function with its invocations. After an invocation times out, the instance accepts no more, and it ends
 * when its other invocations are done, as Lambda ends the environment of a function that timed out.
 */
export function startInstance(
  open: OpenLink,
  timeoutSeconds: number,
  options: Omit<LinkOptions, 'onMessage' | 'onExit'> & { database: AskDatabase | undefined },
): Instance {
  const pending = new Map<number, Pending>()
  let usable = true
  let lastId = 0

  const link: Link = open({ ...options, onMessage: receive, onExit: (why) => lose('exited', why) })

  function lose(kind: 'exited' | 'failed', reason: string, error?: ReportedError): void {
    usable = false
    const reported = error ?? { errorType: 'Runtime.ExitError', errorMessage: reason, trace: [] }
    for (const { fail } of pending.values()) fail(new FunctionError(kind, reported))
  }

  function receive(message: FromRuntime): void {
    if (message.kind === 'unloadable') {
      options.onLine(`${message.error.errorType}: ${message.error.errorMessage}`)
      lose('failed', message.error.errorMessage, message.error)
      void link.end()
      return
    }
    if (message.kind === 'ask') {
      const { id, operation, input } = message
      const answer = options.database?.(operation, input)
      if (answer !== undefined) link.send({ kind: 'answer', id, answer })
      return
    }
    const invocation = pending.get(message.id)
    if (invocation === undefined) return
    switch (message.kind) {
      case 'result':
        invocation.settle({ streamed: false, result: JSON.parse(message.payload) })
        break
      case 'failure':
        invocation.fail(new FunctionError('failed', message.error))
        break
      case 'head':
        try {
          invocation.sink?.head(message.head, message.alone)
        } catch (error) {
          // HTTP does not allow this head: only this invocation fails.
          invocation.fail(new FunctionError('failed', report(error)))
          link.send({ kind: 'gone', id: message.id })
        }
        break
      case 'end':
        invocation.settle({ streamed: true })
        break
      case 'more':
        void sendPart(message.id, invocation.upload?.body)
        break
      case 'chunk': {
        const { id } = message
        const taken = () => link.send({ kind: 'taken', id, bytes: message.bytes.length })
        const wait = invocation.sink?.write(message.bytes)
        if (wait === undefined) taken()
        else void wait.then(taken)
      }
    }
  }

  async function sendPart(id: number, body: AsyncIterator<Uint8Array> | undefined): Promise<void> {
    const part = await body?.next().catch(() => 'broken' as const)
    if (part === 'broken') link.send({ kind: 'uploaded', id, whole: false })
    else if (part === undefined || part.done === true)
      link.send({ kind: 'uploaded', id, whole: true })
    else link.send({ kind: 'part', id, bytes: part.value })
  }

  function invoke(
    event: unknown,
    { sink, signal, upload, trace }: InvokeOptions,
  ): Promise<InvocationOutcome> {
    const id = ++lastId
    const deadline = Date.now() + timeoutSeconds * 1000
    return new Promise<InvocationOutcome>((resolve, reject) => {
      const timer = setTimeout(() => {
        usable = false
        const errorMessage = `Task timed out after ${timeoutSeconds.toFixed(2)} seconds`
        const error = { errorType: 'Sandbox.Timedout', errorMessage, trace: [] }
        pending.get(id)?.fail(new FunctionError('timeout', error))
      }, timeoutSeconds * 1000)
      const gone = () => link.send({ kind: 'gone', id })
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', gone)
        pending.delete(id)
        void upload?.body?.return?.()
        if (!usable && pending.size === 0) void link.end()
      }
      pending.set(id, {
        sink,
        upload,
        settle: (outcome) => (done(), resolve(outcome)),
        fail: (error) => (done(), reject(error)),
      })
      signal?.addEventListener('abort', gone, { once: true })
      const requestId = randomUUID()
      link.send({
        kind: 'invoke',
        id,
        event: JSON.stringify(event),
        requestId,
        deadline,
        trace,
        ...(upload !== undefined && {
          upload: { target: upload.target, hasBody: upload.body !== undefined },
        }),
      })
    })
  }

  return {
    invoke,
    get usable() {
      return usable
    },
    get idle() {
      return pending.size === 0
    },
    end: () => link.end(),
  }
}
