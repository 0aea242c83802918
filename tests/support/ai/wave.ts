/** Returns silence as a WAVE file: mono, 8 kHz, 16 bits. */
export function silence(seconds: number): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16_000, 28)
  header.write('data', 36)
  return Buffer.concat([header, Buffer.alloc(seconds * 16_000)])
}
