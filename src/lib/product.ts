/** The name of the product, as tabs end with it. */
export const PRODUCT = 'Garden Bloom'
