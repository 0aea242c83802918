import type { FromThread } from './protocol.ts'

/** Sends what a thread writes to its output as messages: its own stream asks for an answer to each line, and both threads wake up for it. */
export function sendOutput(send: (message: Extract<FromThread, { kind: 'output' }>) => void): void {
  process.stdout.write = (
    text: string | Uint8Array,
    encodingOrDone?: BufferEncoding | ((error?: Error) => void),
    done?: (error?: Error) => void,
  ): boolean => {
    send({ kind: 'output', text: typeof text === 'string' ? text : Buffer.from(text).toString() })
    const taken = typeof encodingOrDone === 'function' ? encodingOrDone : done
    if (taken !== undefined) queueMicrotask(taken)
    return true
  }
}
