# A program whose function `ending` loops after it has restored the frame pointer of its caller. As in the code of gcc,
# its table still says that the pointer is saved on the stack, now below the stack pointer.
	.globl	ending, middle, main
	.type	ending, @function
	.type	middle, @function
	.type	main, @function
ending:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	xor	%ebp, %ebp
	pop	%rbp
	.cfi_def_cfa_offset 8
1:	jmp	1b
	ret
	.cfi_endproc
	.size	ending, .-ending
middle:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register 6
	call	ending
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
	.size	middle, .-middle
main:
	.cfi_startproc
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	call	middle
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	main, .-main
	.section .note.GNU-stack,"",@progbits
