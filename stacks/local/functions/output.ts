import type { FromThread } from './protocol.ts'

/** Sends a thread's output as messages. The thread's own stream acknowledges each line, which wakes both threads. */
export function sendOutput(send: (message: Extract<FromThread, { kind: 'output' }>) => void): void {
  process.stdout.write = (
    text: string | Uint8Array,
    encodingOrDone?: BufferEncoding | ((error?: Error) => void),
    done?: (error?: Error) => void,
  ): boolean => {
    send({ kind: 'output', text: typeof text === 'string' ? text : Buffer.from(text).toString() })
    const onWritten = typeof encodingOrDone === 'function' ? encodingOrDone : done
    if (onWritten !== undefined) queueMicrotask(onWritten)
    return true
  }
}
