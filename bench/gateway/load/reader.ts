/** Reads sequential responses on one connection. Text is latin1, so that its length is the number of bytes. */
export interface Handlers {
  /** Receives a part of the body as the server framed it: one chunk, or the whole body with a content-length. */
  piece(text: string): void
  end(status: number): void
}

/** @returns a function that receives the connection's data */
export function createReader({ piece, end }: Handlers): (data: Buffer) => void {
  let pending = ''
  let status = 0
  /** The remaining bytes of the body; undefined between responses. */
  let left: number | 'chunked' | undefined

  function head(): boolean {
    const stop = pending.indexOf('\r\n\r\n')
    if (stop < 0) return false
    status = Number(pending.slice(9, 12))
    const length = /content-length: *(\d+)/i.exec(pending.slice(0, stop))?.[1]
    left = length === undefined ? 'chunked' : Number(length)
    pending = pending.slice(stop + 4)
    return true
  }

  function finish(): true {
    left = undefined
    end(status)
    return true
  }

  function whole(length: number): boolean {
    if (pending.length < length) return false
    piece(pending.slice(0, length))
    pending = pending.slice(length)
    return finish()
  }

  function chunk(): boolean {
    const line = pending.indexOf('\r\n')
    if (line < 0) return false
    const size = Number.parseInt(pending, 16)
    if (pending.length < line + 2 + size + 2) return false
    const text = pending.slice(line + 2, line + 2 + size)
    pending = pending.slice(line + 2 + size + 2)
    if (size === 0) return finish()
    piece(text)
    return true
  }

  function step(): boolean {
    if (left === undefined) return pending !== '' && head()
    return left === 'chunked' ? chunk() : whole(left)
  }

  return (data) => {
    pending += data.toString('latin1')
    while (step());
  }
}
