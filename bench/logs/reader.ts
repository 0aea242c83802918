import { get } from 'node:http'

export interface Reader {
  /** Numbers that came, in their order of coming. */
  count: number
  /** Lines that were not the one after the last. */
  faults: number
  /** Resolves with the first event, and when the last line has come. */
  connected: Promise<void>
  done: Promise<void>
}

/** One client of a log's stream, which checks that the numbers come one after the other. */
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
