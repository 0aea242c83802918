/** The streams that workerd adds to the web's own; no npm package has types for them. */
declare class IdentityTransformStream extends TransformStream<Uint8Array, Uint8Array> {}

/** Sets the length of a forwarded body, which ends after its last byte. */
declare class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(length: number)
}
