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

/** A part of an object: offset and length in bytes. */
export interface ObjectPart {
  key: string
  offset: number
  length: number
}

export interface ListedObject {
  key: string
  bytes: number
  /** Epoch milliseconds. */
  modifiedAt: number
}

/** Objects that are also read in parts, listed, and composed of parts of others, such as packs of agents' files. */
export interface PartialObjects extends WholeObjects {
  /** @returns undefined if the object does not exist */
  getPart(part: ObjectPart): Promise<Uint8Array | undefined>
  /** Returns the size in bytes; undefined if the object does not exist. */
  sizeOf(key: string): Promise<number | undefined>
  /** Yields all objects whose keys begin with a text. */
  list(prefix: string): AsyncIterable<ListedObject>
  /**
   * Stores the given parts, one after the other, as a new object. The store copies them itself, so that their bytes do
   * not pass through this process. Every part but the last must have at least 5 MiB: S3's limit.
   * @throws Error if an object of a part does not exist
   */
  compose(key: string, parts: readonly ObjectPart[]): Promise<void>
}

interface UploadOptions {
  /** The validity of the link in seconds. */
  seconds: number
  /** The exact size of the object. */
  bytes: number
}

export interface UploadLinks {
  /**
   * Returns a link that allows anyone to store this object once, with exactly this size.
   * @returns the address of a PUT request, and the headers that it needs besides Content-Length
   */
  forUpload(
    key: string,
    options: UploadOptions,
  ): Promise<{ url: string; headers: Record<string, string> }>
}
