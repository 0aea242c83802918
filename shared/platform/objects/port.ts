/** Where what is too large for a row is kept: files by their keys, such as `videos/job_….mp4`. */
export interface ObjectStore {
  /**
   * Puts a file there, in place of one that is there already. It is there when all of it is; where its body breaks off,
   * nothing changes.
   * @returns its size in bytes
   * @throws what its body throws
   */
  put(
    key: string,
    body: AsyncIterable<Uint8Array>,
    options: { contentType: string },
  ): Promise<number>
}

export interface LinkOptions {
  /** How long it is good. */
  seconds: number
  /** What a browser saves it as. */
  fileName: string
  contentType: string
}

export interface ObjectLinks {
  /** A link by which anyone who has it may fetch a file, and nothing else. */
  to(key: string, options: LinkOptions): Promise<string>
}

/** Objects that are written and read whole, such as restore points. */
export interface KeptObjects {
  /** Puts one there, in place of one that is there already; it is there when all of it is. */
  put(key: string, body: Uint8Array): Promise<void>
  /** Undefined where there is none. */
  get(key: string): Promise<Uint8Array | undefined>
  /** One that is not there counts as removed. */
  remove(key: string): Promise<void>
}
