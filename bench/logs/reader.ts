import { get } from 'node:http'

export interface Reader {
  /** The number of received lines. */
  count: number
  /** The number of lines that did not follow the line before. */
  faults: number
  /** `connected` resolves with the first event, `done` with the last line. */
  connected: Promise<void>
  done: Promise<void>
}

/** Starts a client of a log's stream that checks the sequence of numbers. */
export function startReader(url: string, headers: Record<string, string>, total: number): Reader {
  const connected = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const reader: Reader = { count: 0, faults: 0, connected: connected.promise, done: done.promise }
  let rest = ''
  get(url, { headers, agent: false }, (answer) => {
    answer.setEncoding('utf8')
    answer.on('data', (chunk: string) => {
      connected.resolve()
      const text = rest + chunk
      const end = text.lastIndexOf('\n') + 1
      rest = text.slice(end)
      for (const [, number] of text.slice(0, end).matchAll(/"text":"(\d+) /g)) {
        if (Number(number) !== reader.count + 1) reader.faults += 1
        reader.count = Number(number)
      }
      if (reader.count === total) done.resolve()
    })
    answer.once('close', () => done.resolve())
  }).once('error', done.reject)
  return reader
}
