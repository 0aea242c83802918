import { randomUUID } from 'node:crypto'
import { FunctionError, report } from './errors.ts'
import type { Link, LinkOptions, OpenLink } from './link.ts'
import type { FromRuntime, ResponseHead, ReportedError } from './protocol.ts'

/** Where a streamed answer goes. */
export interface Sink {
  /** @param alone no chunk follows at once */
  head(head: ResponseHead, alone: boolean): void
  /** @returns a promise when the client is slow: it resolves once there is room again */
  write(bytes: Uint8Array): Promise<void> | undefined
}

export interface InvokeOptions {
  sink?: Sink
  /** Aborted when the client hangs up. */
  signal?: AbortSignal
}

/** What an invocation brought: a result to send, or nothing more to say because the sink has it all. */
export type Outcome = { streamed: true } | { streamed: false; result: unknown }

interface Pending {
  settle(outcome: Outcome): void
  fail(error: FunctionError): void
  sink: Sink | undefined
}

export interface Instance {
  invoke(event: unknown, options: InvokeOptions): Promise<Outcome>
  /** Fit for further invocations. */
  readonly usable: boolean
  readonly idle: boolean
  end(): Promise<void>
}

/**
 * One running function with its invocations under way. An invocation over its time makes the instance unusable: it is
 * ended as soon as its other invocations are done, as Lambda ends the environment of a function that timed out.
 */
export function startInstance(
  open: OpenLink,
  timeoutSeconds: number,
  options: Omit<LinkOptions, 'onMessage' | 'onExit'>,
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
          // A head that HTTP does not allow is this invocation's fault alone.
          invocation.fail(new FunctionError('failed', report(error)))
          link.send({ kind: 'gone', id: message.id })
        }
        break
      case 'end':
        invocation.settle({ streamed: true })
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

  function invoke(event: unknown, { sink, signal }: InvokeOptions): Promise<Outcome> {
    const id = ++lastId
    const deadline = Date.now() + timeoutSeconds * 1000
    return new Promise<Outcome>((resolve, reject) => {
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
        if (!usable && pending.size === 0) void link.end()
      }
      pending.set(id, {
        sink,
        settle: (outcome) => (done(), resolve(outcome)),
        fail: (error) => (done(), reject(error)),
      })
      signal?.addEventListener('abort', gone, { once: true })
      const requestId = randomUUID()
      link.send({ kind: 'invoke', id, event: JSON.stringify(event), requestId, deadline })
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
