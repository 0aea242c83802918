/** The adapter for functions behind an HTTP API, which buffers answers. */
export { handle as bufferHandler } from 'hono/aws-lambda'
