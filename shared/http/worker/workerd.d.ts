/** What workerd has beside the web's own streams; it has no types of its own in npm's package. */
declare class IdentityTransformStream extends TransformStream<Uint8Array, Uint8Array> {}

/** Says the length of a body that is passed on, which then ends with its last byte. */
declare class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(length: number)
}
