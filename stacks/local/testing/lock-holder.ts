/** Holds the lock of a directory until it is killed. */
import { takeLock } from '../lock/lock.ts'

await takeLock(process.argv[2] ?? '')
process.send?.('held')
// The listener keeps the process alive.
process.on('message', () => {})
