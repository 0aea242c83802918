/** Storage for data too large for a row: files by key, such as `videos/job_….mp4`. */
export interface ObjectStore {
  /**
   * Stores a file, and replaces an existing one. The file becomes visible when it is complete; if its body fails,
   * nothing changes.
   * @returns its size in bytes
   * @throws any error of its body
   */
  put(
    key: string,
    body: AsyncIterable<Uint8Array>,
    options: { contentType: string },
  ): Promise<number>
}

interface LinkOptions {
  /** The validity of the link in seconds. */
  seconds: number
  /** The name under which a browser saves the file. */
  fileName: string
  contentType: string
}

export interface ObjectLinks {
  /** Returns a link that allows anyone to download this file only. */
  to(key: string, options: LinkOptions): Promise<string>
}

/** Objects that are written and read whole, such as restore points. */
export interface WholeObjects {
  /** Stores an object, and replaces an existing one; it becomes visible when it is complete. */
  put(key: string, body: Uint8Array): Promise<void>
  /** @returns undefined if the object does not exist */
  get(key: string): Promise<Uint8Array | undefined>
  /** Removes an object; succeeds if it does not exist. */
  remove(key: string): Promise<void>
}
