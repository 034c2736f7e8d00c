#pragma once

/// Results of the shape:stride and the linear algebra computed by the vendors' own implementations: one example a line,
/// operation|first operand|second operand|result. Operands are random.
namespace notation_examples {

/// NVIDIA CuTe DSL 4.8.1 (Python package nvidia-cutlass-dsl), module cutlass.cute. Compositions include some that
/// break A(B(c)), where modes carry; divisions and products do not. None goes past the size of a layout that ends with
/// a mode of 1, where the two count on differently.
inline constexpr const char* cute = R"(
blocked_product|(8,6,3):(1,8,48)|(2,(4,3)):(1,(18,2))|((8,2),(6,(4,3)),(3,1)):((1,144),(8,(2592,288)),(48,0))
blocked_product|(2):(1)|(2,(3,8)):(3,(1,6))|((2,2),(1,(3,8))):((1,6),(0,(2,12)))
blocked_product|(2,5,2):(1,12,6)|(1):(1)|((2,1),(5,1),(2,1)):((1,2),(12,0),(6,0))
blocked_product|(2,8):(8,1)|(5,4):(4,1)|((2,5),(8,4)):((8,64),(1,16))
blocked_product|8:0|(4,6):(6,1)|((8,4),(1,6)):((0,6),(0,1))
blocked_product|4:1|(2,4,3):(9,18,3)|((4,2),(1,4),(1,3)):((1,36),(0,72),(0,12))
blocked_product|(6):(1)|(2,2,2):(1,8,2)|((6,2),(1,2),(1,2)):((1,6),(0,48),(0,12))
blocked_product|(8,(3,4)):(12,(4,1))|4:1|((8,4),((3,4),1)):((12,96),((4,1),0))
blocked_product|(1):(1)|(3,(4,3)):(4,(1,12))|((1,3),(1,(4,3))):((1,4),(0,(1,12)))
blocked_product|(5):(1)|(1,2,4):(8,4,1)|((5,1),(1,2),(1,4)):((1,40),(0,20),(0,5))
blocked_product|(2,5):(1,2)|(4):(2)|((2,4),(5,1)):((1,20),(2,0))
blocked_product|4:1|(4,8):(3,12)|((4,4),(1,8)):((1,12),(0,48))
blocked_product|(4,(6,5)):(1,(60,12))|(1,1,3):(27,9,3)|((4,1),((6,5),1),(1,3)):((1,3240),((60,12),1080),(0,360))
blocked_product|(4,5):(3,12)|(2):(1)|((4,2),(5,1)):((3,1),(12,0))
blocked_product|(2,2):(2,1)|(1,8):(1,1)|((2,1),(2,8)):((2,4),(1,4))
coalesce|(1,(8,8)):(128,(2,16))|-|64:2
coalesce|(4,4):(2,8)|-|16:2
coalesce|(3,(5,4)):(20,(1,0))|-|(3,5,4):(20,1,0)
coalesce|(4,5,4):(3,48,12)|-|(4,5,4):(3,48,12)
coalesce|(4,3):(1,4)|-|12:1
coalesce|4:1|-|4:1
coalesce|(4,2):(2,1)|-|(4,2):(2,1)
coalesce|(1):(3)|-|1:0
coalesce|(5):(3)|-|5:3
coalesce|(5,2):(6,3)|-|(5,2):(6,3)
coalesce|(4,1):(1,4)|-|4:1
coalesce|(6,4):(1,12)|-|(6,4):(1,12)
coalesce|(6):(1)|-|6:1
coalesce|(6,4):(12,1)|-|(6,4):(12,1)
coalesce|(5,6):(2,10)|-|30:2
coalesce|1:2|-|1:0
complement|(6,4,6):(1,6,24)|196|2:144
complement|(2,4):(8,2)|164|(2,11):(1,16)
complement|(1,8,1):(1,1,24)|86|11:8
complement|(3,(2,8)):(24,(72,1))|148|(3,2):(8,144)
complement|(3):(1)|198|66:3
complement|(2,6):(1,4)|81|(2,4):(2,24)
complement|(6,(2,2)):(8,(4,2))|66|(2,2):(1,48)
complement|(6,4):(2,12)|36|2:1
complement|(6,(2,4)):(8,(4,1))|107|3:48
complement|(2,4):(2,4)|131|(2,9):(1,16)
complement|(5,2,2):(8,4,1)|21|2:2
complement|1:1|78|78:1
complement|(3,3):(9,3)|153|(3,6):(1,27)
complement|(8):(2)|190|(2,12):(1,16)
complement|6:1|87|15:6
complement|(3,2,8):(16,1,2)|101|3:48
complement|4:2|166|(2,21):(1,8)
complement|(8):(1)|159|20:8
complement|(3,6):(1,3)|52|3:18
complement|(2,2):(1,2)|30|8:4
composition|(4,4,8):(64,0,1)|(8,2):(4,0)|((4,2),2):((0,1),0)
composition|2:1|3:1|3:1
composition|(4,3):(6,2)|(1,4):(2,2)|(1,(2,2)):(2,(12,2))
composition|(1,4,2):(1,2,1)|(4):(0)|(4):(0)
composition|(2,4):(2,12)|(4,8):(0,1)|(4,(2,4)):(0,(2,12))
composition|4:0|(8,(5,1)):(5,(1,0))|(8,(5,1)):(0,(0,0))
composition|(3,2):(2,0)|(2,1):(1,2)|(2,1):(2,0)
composition|(6,6,4):(1,72,6)|6:0|6:0
composition|(4,(2,4)):(2,(1,8))|(4,(4,2)):(4,(1,16))|((2,2),(4,2)):((1,8),(2,16))
composition|(4,4,4):(1,4,16)|(6,4,4):(12,1,72)|(6,4,4):(12,1,72)
composition|(5,2,8):(1,5,10)|2:1|2:1
composition|8:0|(8,(4,4)):(4,(32,1))|(8,(4,4)):(0,(0,0))
composition|(4,2):(3,24)|(1,6):(3,3)|(1,(2,3)):(24,(9,24))
composition|4:1|(2,(1,2)):(1,(4,2))|(2,(1,2)):(1,(4,2))
composition|(4,6):(3,12)|(8,2):(0,8)|(8,2):(0,24)
composition|(2):(0)|(6,1):(2,1)|(6,1):(0,0)
composition|(6,2):(0,1)|8:3|(2,4):(0,1)
composition|4:1|(4):(0)|(4):(0)
composition|5:1|(1,(8,5)):(40,(1,8))|(1,(8,5)):(40,(1,8))
composition|(6,2):(12,2)|(2,8):(2,4)|(2,(2,4)):(24,(48,2))
composition|(1,4):(1,2)|(2,2):(1,2)|(2,2):(2,4)
composition|(3):(1)|(5,4,4):(0,12,1)|(5,4,4):(0,12,1)
composition|(5,6):(1,5)|2:1|2:1
composition|(4):(0)|(3,1,6):(1,3,3)|(3,1,6):(0,0,0)
composition|(6,3):(27,3)|(2,2):(2,1)|(2,2):(54,27)
composition|(6):(2)|(2,5):(5,0)|(2,5):(10,0)
composition|(4,1):(0,1)|2:1|2:0
composition|3:0|(2):(1)|(2):(0)
composition|(8,2):(2,1)|4:1|4:2
composition|(6):(2)|(1,(2,2)):(8,(8,2))|(1,(2,2)):(16,(16,4))
composition|(4):(1)|(4):(1)|(4):(1)
composition|(6,5,4):(40,1,5)|(3,4):(1,3)|(3,(2,2)):(40,(120,1))
composition|(1,2):(4,1)|(5,8,6):(1,5,40)|(5,8,6):(1,5,40)
composition|(2,5,4):(0,1,10)|(5,4,1):(2,10,2)|(5,4,1):(1,10,10)
composition|2:1|8:1|8:1
composition|(3,4,5):(5,0,1)|(2,(5,3)):(3,(0,1))|(2,(5,3)):(0,(0,5))
composition|(4):(3)|6:0|6:0
composition|(4):(0)|(8):(1)|(8):(0)
composition|(2,2):(12,3)|(6,(5,1)):(10,(2,2))|(6,(5,1)):(15,(3,3))
composition|2:0|8:1|8:0
composition|(2,2):(4,0)|(8,2):(0,1)|(8,2):(0,4)
composition|(6,8,1):(8,1,8)|(1,(3,1)):(1,(1,1))|(1,(3,1)):(1,(8,1))
composition|(4):(2)|(3,5):(2,6)|(3,5):(4,12)
composition|(2):(0)|(4,3):(3,1)|(4,3):(0,0)
composition|4:3|(8,6):(12,1)|(8,6):(36,3)
composition|(2,3):(1,4)|(3,8):(16,0)|(3,8):(32,0)
composition|(8):(1)|(8,4):(0,8)|(8,4):(0,8)
composition|(1,3):(3,3)|(2,6):(2,4)|(2,6):(6,12)
composition|(4,5,2):(5,1,20)|(2,1,4):(2,2,4)|(2,1,4):(10,20,1)
composition|(5,2,5):(1,10,20)|(2):(1)|(2):(1)
composition|2:0|(5,(2,3)):(18,(0,3))|(5,(2,3)):(0,(0,0))
composition|(8,(3,8)):(24,(1,3))|(5,4):(0,5)|(5,(2,2)):(0,(120,1))
composition|(4):(3)|(8):(1)|(8):(3)
composition|5:1|(4,5):(3,24)|(4,5):(3,24)
composition|(5,2,6):(12,60,2)|(4,2):(0,8)|(4,2):(0,96)
composition|(8,5,5):(25,5,0)|5:0|5:0
composition|(2,(2,4)):(8,(4,1))|(4):(1)|((2,2)):((8,4))
composition|(3):(1)|(3,2):(4,2)|(3,2):(4,2)
composition|(2,(6,2)):(1,(4,2))|(4):(1)|((2,2)):((1,4))
composition|(4,(4,1)):(1,(4,1))|(1):(2)|(1):(1)
composition|(5,6):(1,5)|(1,(2,6)):(2,(1,2))|(1,(2,6)):(2,(1,2))
composition|(2,3):(3,1)|(2,5):(1,6)|(2,5):(3,3)
composition|(3,2,8):(1,48,6)|(1,4):(0,2)|(1,(2,2)):(0,(2,48))
composition|6:1|(8,2):(2,1)|(8,2):(2,1)
composition|(3,(1,6)):(1,(1,9))|(1,1):(2,2)|(1,1):(9,9)
composition|5:1|(2,5):(5,1)|(2,5):(5,1)
composition|(4,2):(2,8)|(1,(8,6)):(6,(6,1))|(1,(8,6)):(12,(12,2))
composition|(6,4):(3,18)|(3):(0)|(3):(0)
logical_divide|6:1|(4,(2,4)):(1,(4,8))|((4,(2,4)),1):((1,(4,8)),0)
logical_divide|(8,(4,8)):(32,(1,4))|4:1|(4,(2,32)):(32,(128,1))
logical_divide|(3,(2,2)):(1,(3,6))|(2,1):(1,2)|((2,1),6):((1,2),2)
logical_divide|8:0|(5,1,3):(2,90,30)|((5,1,3),(2,3)):((0,0,0),(0,0))
logical_divide|(8,1,3):(3,1,1)|(3,(8,6)):(16,(2,96))|((3,((4,2),6)),(2,2)):((2,((6,1),12)),(3,6))
logical_divide|(6):(3)|(2,4,2):(1,4,16)|((2,4,2),2):((3,12,48),6)
logical_divide|4:1|(3,(2,5)):(1,(3,6))|((3,(2,5)),1):((1,(3,6)),0)
logical_divide|(6):(3)|8:3|(8,3):(9,3)
logical_divide|(1,2,6):(6,6,1)|(5,(4,4)):(32,(1,8))|((5,((2,2),4)),2):((16,((6,1),4)),2)
logical_divide|6:3|(4):(1)|((4),2):((3),12)
logical_divide|(5):(1)|(4,8,3):(8,1,32)|((4,8,3),1):((8,1,32),0)
logical_divide|(1,2,4):(24,3,6)|(2,(4,8)):(8,(2,16))|((2,(4,8)),2):((24,(6,48)),3)
logical_divide|(1,4):(3,6)|(4):(3)|((4),3):((18),6)
logical_divide|(2,3):(1,2)|(1,3,2):(2,4,1)|((1,3,2),2):((2,4,1),2)
logical_divide|(6):(2)|(5,(4,1)):(36,(1,12))|((5,(4,1)),9):((72,(2,24)),8)
logical_divide|(6,4):(1,6)|(2,3,2):(18,3,9)|((2,3,2),3):((18,3,9),1)
logical_divide|(2,6):(1,2)|(1,4):(1,1)|((1,4),3):((1,1),4)
logical_divide|(2):(1)|6:1|(6,1):(1,0)
logical_divide|(6):(1)|(8):(1)|((8),1):((1),0)
logical_divide|(4):(1)|1:1|(1,4):(1,1)
logical_divide|(2):(1)|(1,(3,2)):(6,(2,1))|((1,(3,2)),1):((6,(2,1)),0)
logical_divide|(8):(0)|(5,8):(16,1)|((5,8),2):((0,0),0)
logical_divide|(2,(3,2)):(1,(2,6))|4:1|(4,3):(1,4)
logical_product|(8,2):(2,1)|(2,(2,3)):(18,(3,36))|((8,2),(2,(2,3))):((2,1),(288,(48,576)))
logical_product|(2):(1)|(3,3):(1,3)|((2),(3,3)):((1),(2,6))
logical_product|(2,4,8):(288,3,36)|(3,4):(1,9)|((2,4,8),(3,4)):((288,3,36),(1,576))
logical_product|(2,5):(5,0)|(2):(1)|((2,5),(2)):((5,0),(1))
logical_product|(4,1,8):(2,2,8)|4:1|((4,1,8),(2,2)):((2,2,8),(1,64))
logical_product|(3,6,8):(1,3,0)|(2,4,4):(16,4,1)|((3,6,8),(2,4,4)):((1,3,0),(288,72,18))
logical_product|(6,6):(1,6)|(4,1):(3,1)|((6,6),(4,1)):((1,6),(108,36))
logical_product|(2):(1)|(2,1,4):(1,1,2)|((2),(2,1,4)):((1),(2,2,4))
logical_product|(3):(1)|(6,3):(1,6)|((3),(6,3)):((1),(3,18))
logical_product|2:0|(5,1,4):(24,120,2)|(2,(5,1,4)):(0,(24,120,2))
logical_product|(1,(3,2)):(3,(18,9))|(4,1):(1,4)|((1,(3,2)),(4,1)):((3,(18,9)),(1,4))
logical_product|(1,3):(9,1)|(3,3):(1,6)|((1,3),(3,3)):((9,1),(3,18))
logical_product|(5,(8,1)):(8,(1,1))|(4,4,8):(16,2,64)|((5,(8,1)),(4,4,8)):((8,(1,1)),(640,80,2560))
logical_product|(2):(1)|(5,4):(8,1)|((2),(5,4)):((1),(16,2))
logical_product|1:1|(2,1,1):(1,1,1)|(1,(2,1,1)):(1,(1,1,1))
logical_product|(2):(0)|(5):(1)|((2),(5)):((0),(1))
raked_product|(3,6):(0,1)|(3,3,4):(108,12,3)|((3,3),(3,6),4):((648,0),(72,1),18)
raked_product|(5,(6,3)):(1,(15,5))|(2,(5,2)):(1,(12,2))|((2,5),(5,2,6,3)):((90,1),(1080,180,15,5))
raked_product|(5,2,4):(2,1,0)|5:1|((5,5),2,4):((10,2),1,0)
raked_product|4:1|(2,5,4):(60,4,1)|((2,4),5,4):((240,1),16,4)
raked_product|(3,1):(1,0)|(4,2):(2,1)|((4,3),2):((6,1),3)
raked_product|(3,(3,4)):(1,(12,3))|(4,1,1):(3,3,3)|((4,3),(3,4),1):((108,1),(12,3),0)
raked_product|(2,6,6):(1,12,2)|(5,2):(6,3)|((5,2),(2,6),6):((432,1),(216,12),2)
raked_product|(3,(5,1)):(15,(1,45))|1:1|(3,5):(15,1)
raked_product|(5):(0)|(4):(3)|((4,5)):((3,0))
raked_product|(6,(8,6)):(6,(36,1))|(3,(4,4)):(16,(4,1))|((3,6),(4,4,8,6)):((4608,6),(1152,288,36,1))
raked_product|6:2|(2,4):(8,1)|((2,6),(2,2)):((48,2),(1,12))
raked_product|(4):(1)|4:1|((4,4)):((4,1))
raked_product|(3,6):(2,6)|2:1|(6,6):(1,6)
raked_product|(3):(0)|(4,(6,5)):(2,(120,24))|((4,3),(6,5)):((2,0),(120,24))
raked_product|6:1|(3,4):(8,1)|((3,6),4):((48,1),6)
right_inverse|(6,8,1):(32,2,16)|-|1:0
right_inverse|(1,6,5):(0,5,1)|-|(5,6):(6,1)
right_inverse|(8,2,4):(4,32,1)|-|(4,16):(16,1)
right_inverse|(5,3):(1,5)|-|15:1
right_inverse|(1,2,2):(2,1,6)|-|2:1
right_inverse|(4,(2,1)):(4,(2,4))|-|1:0
right_inverse|(3,2):(0,6)|-|1:0
right_inverse|6:2|-|1:0
right_inverse|(6,5):(2,12)|-|1:0
right_inverse|(5,2,3):(6,3,1)|-|(3,2,5):(10,5,1)
right_inverse|(2,(2,8)):(32,(1,4))|-|2:2
right_inverse|8:1|-|8:1
right_inverse|(2):(1)|-|2:1
right_inverse|(2,(1,4)):(1,(16,2))|-|8:1
right_inverse|(4,6):(6,1)|-|(6,4):(4,1)
right_inverse|(5,8,3):(3,270,45)|-|1:0
)";

/// Triton 3.9.0 (Python package triton), LinearLayout. compose(a, b) is its b.compose(a), and for "tests" the result is
/// injective, surjective, invertible.
inline constexpr const char* triton = R"(
compose|x0[] x1[] -> y0[4] y1[4]|register[] lane[(0,0) (0,0) (0,0)] wave[(0,0)] -> x0[1] x1[1]|register[] lane[(0,0) (0,0) (0,0)] wave[(0,0)] -> y0[4] y1[4]
compose|x0[(2,2)] x1[] -> y0[4] y1[4]|register[] lane[(0,0)] wave[(0,0) (0,0)] -> x0[2] x1[1]|register[] lane[(0,0)] wave[(0,0) (0,0)] -> y0[4] y1[4]
compose|x0[(2,0) (2,1)] x1[(1,1) (0,1)] -> y0[4] y1[4]|register[(0,3) (3,2) (1,1)] lane[(3,3) (2,2) (0,2)] wave[(3,3) (3,0) (0,0)] -> x0[4] x1[4]|register[(1,0) (0,0) (3,1)] lane[(1,1) (2,0) (0,1)] wave[(1,1) (0,1) (0,0)] -> y0[4] y1[4]
compose|x0[(0,1)] x1[] -> y0[4] y1[4]|register[(1,0) (0,0)] lane[(0,0)] wave[] -> x0[2] x1[1]|register[(0,1) (0,0)] lane[(0,0)] wave[] -> y0[4] y1[4]
compose|x0[] x1[(3,1)] -> y0[4] y1[4]|register[(0,0)] lane[(0,0)] wave[(0,0) (0,1)] -> x0[1] x1[2]|register[(0,0)] lane[(0,0)] wave[(0,0) (3,1)] -> y0[4] y1[4]
compose|x0[] x1[(1,2)] -> y0[4] y1[4]|register[(0,0) (0,1)] lane[(0,1) (0,1) (0,1)] wave[(0,0) (0,0) (0,0)] -> x0[1] x1[2]|register[(0,0) (1,2)] lane[(1,2) (1,2) (1,2)] wave[(0,0) (0,0) (0,0)] -> y0[4] y1[4]
compose|x0[(0,0) (3,0)] x1[(2,1) (0,3)] -> y0[4] y1[4]|register[(0,0) (0,2)] lane[(0,1)] wave[(1,3)] -> x0[4] x1[4]|register[(0,0) (0,3)] lane[(2,1)] wave[(2,2)] -> y0[4] y1[4]
compose|x0[(2,3)] x1[(2,3) (0,2)] -> y0[4] y1[4]|register[(0,0)] lane[(1,3) (0,0) (0,3)] wave[(0,2)] -> x0[2] x1[4]|register[(0,0)] lane[(0,2) (0,0) (2,1)] wave[(0,2)] -> y0[4] y1[4]
compose|x0[] x1[(2,3)] -> y0[4] y1[4]|register[] lane[(0,0) (0,0)] wave[(0,1) (0,0)] -> x0[1] x1[2]|register[] lane[(0,0) (0,0)] wave[(2,3) (0,0)] -> y0[4] y1[4]
compose|x0[(0,1)] x1[(1,0) (0,0)] -> y0[4] y1[4]|register[(0,3) (1,0) (0,0)] lane[(1,3)] wave[(0,1) (1,1)] -> x0[2] x1[4]|register[(1,0) (0,1) (0,0)] lane[(1,1)] wave[(1,0) (1,1)] -> y0[4] y1[4]
compose|x0[(2,1)] x1[] -> y0[4] y1[4]|register[(1,0) (0,0)] lane[] wave[(0,0)] -> x0[2] x1[1]|register[(2,1) (0,0)] lane[] wave[(0,0)] -> y0[4] y1[4]
compose|x0[(3,1)] x1[(0,1)] -> y0[4] y1[4]|register[(0,1) (0,0) (0,0)] lane[(1,0)] wave[(0,1) (0,0)] -> x0[2] x1[2]|register[(0,1) (0,0) (0,0)] lane[(3,1)] wave[(0,1) (0,0)] -> y0[4] y1[4]
compose|x0[] x1[(2,3)] -> y0[4] y1[4]|register[(0,0) (0,1)] lane[] wave[(0,0)] -> x0[1] x1[2]|register[(0,0) (2,3)] lane[] wave[(0,0)] -> y0[4] y1[4]
compose|x0[(0,2)] x1[(2,0)] -> y0[4] y1[4]|register[(0,0) (1,0) (0,0)] lane[(1,0) (0,0) (1,0)] wave[(0,1) (1,0)] -> x0[2] x1[2]|register[(0,0) (0,2) (0,0)] lane[(0,2) (0,0) (0,2)] wave[(2,0) (0,2)] -> y0[4] y1[4]
inverse|register[(3,0)] lane[(0,1)] wave[(1,1)] -> x0[4] x1[2]||x0[(0,1,1) (1,1,1)] x1[(0,1,0)] -> register[2] lane[2] wave[2]
inverse|register[] lane[] wave[(0,1)] -> x0[1] x1[2]||x0[] x1[(0,0,1)] -> register[1] lane[1] wave[2]
inverse|register[] lane[] wave[] -> x0[1] x1[1]||x0[] x1[] -> register[1] lane[1] wave[1]
inverse|register[] lane[(0,2) (0,3)] wave[] -> x0[1] x1[4]||x0[] x1[(0,3,0) (0,1,0)] -> register[1] lane[4] wave[1]
inverse|register[] lane[(1,0) (0,1)] wave[] -> x0[2] x1[2]||x0[(0,1,0)] x1[(0,2,0)] -> register[1] lane[4] wave[1]
inverse|register[] lane[(3,0)] wave[(1,1) (1,0)] -> x0[4] x1[2]||x0[(0,0,2) (0,1,2)] x1[(0,0,3)] -> register[1] lane[2] wave[4]
inverse|register[] lane[] wave[(1,0)] -> x0[2] x1[1]||x0[(0,0,1)] x1[] -> register[1] lane[1] wave[2]
inverse|register[(1,2)] lane[(0,1) (1,0)] wave[] -> x0[2] x1[4]||x0[(0,2,0)] x1[(0,1,0) (1,2,0)] -> register[2] lane[4] wave[1]
inverse|register[(1,1)] lane[] wave[(1,0) (0,2)] -> x0[2] x1[4]||x0[(0,0,1)] x1[(1,0,1) (0,0,2)] -> register[2] lane[1] wave[4]
inverse|register[(1,1)] lane[(1,0)] wave[] -> x0[2] x1[2]||x0[(0,1,0)] x1[(1,1,0)] -> register[2] lane[2] wave[1]
inverse|register[] lane[] wave[(1,1) (1,0)] -> x0[2] x1[2]||x0[(0,0,2)] x1[(0,0,3)] -> register[1] lane[1] wave[4]
inverse|register[(0,1)] lane[] wave[] -> x0[1] x1[2]||x0[] x1[(1,0,0)] -> register[2] lane[1] wave[1]
inverse|register[(3,0)] lane[] wave[(1,0) (0,2) (3,1)] -> x0[4] x1[4]||x0[(0,0,1) (1,0,1)] x1[(1,0,4) (0,0,2)] -> register[2] lane[1] wave[8]
inverse|register[(1,0)] lane[] wave[(2,0)] -> x0[4] x1[1]||x0[(1,0,0) (0,0,1)] x1[] -> register[2] lane[1] wave[2]
invert_and_compose|register[(0,0) (1,0)] lane[(0,0) (0,0) (0,0)] wave[] -> x0[2] x1[1]|register[] lane[(1,0)] wave[] -> x0[2] x1[1]|register[(0,0,0) (0,1,0)] lane[(0,0,0) (0,0,0) (0,0,0)] wave[] -> register[1] lane[2] wave[1]
invert_and_compose|register[] lane[(0,0) (0,0)] wave[(0,0) (0,0) (0,0)] -> x0[1] x1[1]|register[(0,0) (0,0)] lane[] wave[(0,0)] -> x0[1] x1[1]|register[] lane[(0,0,0) (0,0,0)] wave[(0,0,0) (0,0,0) (0,0,0)] -> register[4] lane[1] wave[2]
invert_and_compose|register[] lane[(0,0)] wave[(0,1) (0,0) (0,1)] -> x0[1] x1[2]|register[(0,1)] lane[(0,0) (0,0) (0,1)] wave[(0,1) (0,0) (0,0)] -> x0[1] x1[2]|register[] lane[(0,0,0)] wave[(1,0,0) (0,0,0) (1,0,0)] -> register[2] lane[8] wave[8]
invert_and_compose|register[] lane[(0,0) (0,0) (0,0)] wave[] -> x0[1] x1[1]|register[(0,0) (0,0) (0,0)] lane[(0,0) (0,0)] wave[] -> x0[1] x1[1]|register[] lane[(0,0,0) (0,0,0) (0,0,0)] wave[] -> register[8] lane[4] wave[1]
invert_and_compose|register[(3,0) (1,1)] lane[] wave[] -> x0[4] x1[2]|register[(1,0)] lane[(2,0) (3,0) (2,0)] wave[(1,1) (1,0) (3,0)] -> x0[4] x1[2]|register[(1,1,0) (0,0,1)] lane[] wave[] -> register[2] lane[8] wave[8]
invert_and_compose|register[] lane[(3,0)] wave[] -> x0[4] x1[1]|register[(1,0) (0,0) (0,0)] lane[(0,0) (3,0) (0,0)] wave[] -> x0[4] x1[1]|register[] lane[(0,2,0)] wave[] -> register[8] lane[8] wave[1]
invert_and_compose|register[] lane[(0,2) (0,2)] wave[(0,1) (0,2) (0,0)] -> x0[1] x1[4]|register[(0,3) (0,2) (0,3)] lane[(0,1) (0,0) (0,3)] wave[] -> x0[1] x1[4]|register[] lane[(2,0,0) (2,0,0)] wave[(3,0,0) (2,0,0) (0,0,0)] -> register[8] lane[8] wave[1]
invert_and_compose|register[(0,0)] lane[] wave[(3,1) (0,0) (1,1)] -> x0[4] x1[2]|register[(3,0) (0,1) (0,1)] lane[(2,1) (0,0) (0,0)] wave[(0,1) (1,0)] -> x0[4] x1[2]|register[(0,0,0)] lane[] wave[(3,0,0) (0,0,0) (1,1,0)] -> register[8] lane[8] wave[4]
invert_and_compose|register[] lane[] wave[] -> x0[1] x1[2]|register[(0,0) (0,1)] lane[] wave[(0,0) (0,0) (0,1)] -> x0[1] x1[2]|register[] lane[] wave[] -> register[4] lane[1] wave[8]
invert_and_compose|register[(1,1) (2,0)] lane[(0,0)] wave[] -> x0[4] x1[2]|register[(2,0) (0,0)] lane[(3,1)] wave[(1,0)] -> x0[4] x1[2]|register[(1,1,0) (1,0,0)] lane[(0,0,0)] wave[] -> register[4] lane[2] wave[2]
invert_and_compose|register[(1,1)] lane[(1,3) (0,1) (1,3)] wave[] -> x0[2] x1[4]|register[(0,3)] lane[(0,1) (1,1)] wave[(0,0) (0,2)] -> x0[2] x1[4]|register[(0,2,0)] lane[(1,3,0) (0,1,0) (1,3,0)] wave[] -> register[2] lane[4] wave[4]
invert_and_compose|register[(2,0) (0,0)] lane[] wave[] -> x0[4] x1[4]|register[(0,2) (2,1) (0,0)] lane[(0,3)] wave[(1,2) (0,1) (2,2)] -> x0[4] x1[4]|register[(3,1,0) (0,0,0)] lane[] wave[] -> register[8] lane[2] wave[8]
invert_and_compose|register[] lane[(2,0)] wave[(3,0)] -> x0[4] x1[1]|register[(2,0) (1,0)] lane[(0,0) (0,0)] wave[(3,0)] -> x0[4] x1[1]|register[] lane[(1,0,0)] wave[(3,0,0)] -> register[4] lane[4] wave[2]
invert_and_compose|register[(0,0)] lane[(0,0) (0,0)] wave[(0,0) (0,0) (0,0)] -> x0[1] x1[1]|register[(0,0)] lane[(0,0)] wave[(0,0) (0,0)] -> x0[1] x1[1]|register[(1,0,0)] lane[(0,0,0) (0,0,0)] wave[(0,0,0) (0,0,0) (0,0,0)] -> register[2] lane[2] wave[4]
invert_and_compose|register[(0,1) (0,0) (0,0)] lane[(0,0) (0,1)] wave[] -> x0[1] x1[2]|register[] lane[(0,0)] wave[(0,0) (0,1)] -> x0[1] x1[2]|register[(0,0,2) (0,0,0) (0,0,0)] lane[(0,0,0) (0,0,2)] wave[] -> register[1] lane[2] wave[4]
invert_and_compose|register[(0,0) (0,0) (3,0)] lane[] wave[(1,0) (0,0) (2,0)] -> x0[4] x1[1]|register[(3,0) (2,0)] lane[] wave[(0,0)] -> x0[4] x1[1]|register[(0,0,0) (0,0,0) (1,0,0)] lane[] wave[(3,0,0) (0,0,0) (2,0,0)] -> register[4] lane[1] wave[2]
invert_and_compose|register[(1,0) (1,0)] lane[(3,0) (2,0)] wave[(1,0) (0,0) (2,0)] -> x0[4] x1[1]|register[(1,0) (2,0) (0,0)] lane[(3,0)] wave[(1,0)] -> x0[4] x1[1]|register[(1,0,0) (1,0,0)] lane[(3,0,0) (2,0,0)] wave[(1,0,0) (0,0,0) (2,0,0)] -> register[8] lane[2] wave[2]
invert_and_compose|register[(0,3)] lane[(0,3) (1,0)] wave[] -> x0[2] x1[4]|register[(1,3) (1,0)] lane[(0,0) (1,2)] wave[] -> x0[2] x1[4]|register[(3,0,0)] lane[(3,0,0) (2,0,0)] wave[] -> register[4] lane[4] wave[1]
product|register[(0,0) (0,0)] lane[(1,0) (0,0)] wave[(0,0) (0,0) (1,0)] -> x0[2] x1[1]|register[(2,1)] lane[] wave[(1,1)] -> x0[4] x1[2]|register[(0,0) (0,0) (4,1)] lane[(1,0) (0,0)] wave[(0,0) (0,0) (1,0) (2,1)] -> x0[8] x1[2]
product|register[(0,0)] lane[(0,0)] wave[] -> x0[2] x1[1]|register[(0,1)] lane[(0,2) (0,0)] wave[] -> x0[1] x1[4]|register[(0,0) (0,1)] lane[(0,0) (0,2) (0,0)] wave[] -> x0[2] x1[4]
product|register[] lane[(3,0) (1,0)] wave[(2,0)] -> x0[4] x1[1]|register[(0,0) (1,0) (1,0)] lane[(0,0)] wave[(0,0) (0,0) (0,0)] -> x0[2] x1[1]|register[(0,0) (4,0) (4,0)] lane[(3,0) (1,0) (0,0)] wave[(2,0) (0,0) (0,0) (0,0)] -> x0[8] x1[1]
product|register[(0,0) (0,0) (0,0)] lane[(0,0) (0,0) (0,0)] wave[(0,0)] -> x0[1] x1[1]|register[(0,1)] lane[(0,1) (0,0) (1,1)] wave[(1,1) (1,0)] -> x0[2] x1[2]|register[(0,0) (0,0) (0,0) (0,1)] lane[(0,0) (0,0) (0,0) (0,1) (0,0) (1,1)] wave[(0,0) (1,1) (1,0)] -> x0[2] x1[2]
product|register[] lane[(0,3) (0,0) (0,2)] wave[(0,0) (0,2)] -> x0[1] x1[4]|register[] lane[(3,3) (3,3)] wave[(0,3) (1,2)] -> x0[4] x1[4]|register[] lane[(0,3) (0,0) (0,2) (3,12) (3,12)] wave[(0,0) (0,2) (0,12) (1,8)] -> x0[4] x1[16]
product|register[(0,0) (1,0) (0,0)] lane[(1,0) (1,0)] wave[(0,0) (1,0) (1,0)] -> x0[2] x1[1]|register[(0,1) (0,2)] lane[(0,0)] wave[(0,0)] -> x0[4] x1[4]|register[(0,0) (1,0) (0,0) (0,1) (0,2)] lane[(1,0) (1,0) (0,0)] wave[(0,0) (1,0) (1,0) (0,0)] -> x0[8] x1[4]
product|register[] lane[] wave[(1,0) (0,0) (1,0)] -> x0[2] x1[1]|register[(0,0)] lane[(1,0) (0,0) (1,0)] wave[(0,0) (1,0)] -> x0[2] x1[1]|register[(0,0)] lane[(2,0) (0,0) (2,0)] wave[(1,0) (0,0) (1,0) (0,0) (2,0)] -> x0[4] x1[1]
product|register[(0,0)] lane[(0,0) (1,0)] wave[(0,0) (0,0) (1,0)] -> x0[2] x1[1]|register[(1,1)] lane[(0,0) (0,3) (0,3)] wave[] -> x0[2] x1[4]|register[(0,0) (2,1)] lane[(0,0) (1,0) (0,0) (0,3) (0,3)] wave[(0,0) (0,0) (1,0)] -> x0[4] x1[4]
product|register[(0,0) (0,2) (0,0)] lane[(0,3)] wave[] -> x0[2] x1[4]|register[(3,3) (3,0)] lane[] wave[(3,0)] -> x0[4] x1[4]|register[(0,0) (0,2) (0,0) (6,12) (6,0)] lane[(0,3)] wave[(6,0)] -> x0[8] x1[16]
product|register[(0,1) (1,0) (0,0)] lane[(0,0) (0,1) (1,0)] wave[(1,0) (1,1) (1,3)] -> x0[2] x1[4]|register[(0,1) (0,0)] lane[(0,1) (0,0) (0,1)] wave[(0,1) (0,1) (0,0)] -> x0[1] x1[2]|register[(0,1) (1,0) (0,0) (0,4) (0,0)] lane[(0,0) (0,1) (1,0) (0,4) (0,0) (0,4)] wave[(1,0) (1,1) (1,3) (0,4) (0,4) (0,0)] -> x0[2] x1[8]
product|register[(0,0) (0,0) (0,0)] lane[(0,0) (0,1) (0,1)] wave[(0,1) (0,1)] -> x0[1] x1[2]|register[] lane[(0,2) (0,2) (0,2)] wave[(1,3) (0,0) (1,2)] -> x0[2] x1[4]|register[(0,0) (0,0) (0,0)] lane[(0,0) (0,1) (0,1) (0,4) (0,4) (0,4)] wave[(0,1) (0,1) (1,6) (0,0) (1,4)] -> x0[2] x1[8]
product|register[] lane[] wave[(0,0) (0,0)] -> x0[2] x1[1]|register[(0,0)] lane[(0,0) (0,0) (0,0)] wave[(0,0) (0,0)] -> x0[1] x1[1]|register[(0,0)] lane[(0,0) (0,0) (0,0)] wave[(0,0) (0,0) (0,0) (0,0)] -> x0[2] x1[1]
product|register[] lane[(0,0) (0,1)] wave[(0,0)] -> x0[4] x1[2]|register[] lane[] wave[(0,1) (0,3)] -> x0[1] x1[4]|register[] lane[(0,0) (0,1)] wave[(0,0) (0,2) (0,6)] -> x0[4] x1[8]
product|register[] lane[] wave[(0,0) (0,0) (0,0)] -> x0[1] x1[1]|register[(0,3) (0,3)] lane[(0,3) (0,0)] wave[] -> x0[1] x1[4]|register[(0,3) (0,3)] lane[(0,3) (0,0)] wave[(0,0) (0,0) (0,0)] -> x0[1] x1[4]
pseudo_inverse|register[] lane[(0,0)] wave[] -> x0[1] x1[1]||x0[] x1[] -> register[1] lane[2] wave[1]
pseudo_inverse|register[(0,0)] lane[(0,0) (0,0)] wave[(0,0) (0,0)] -> x0[1] x1[1]||x0[] x1[] -> register[2] lane[4] wave[4]
pseudo_inverse|register[(0,1) (0,1)] lane[(0,2) (0,1) (0,2)] wave[(3,2) (2,0)] -> x0[4] x1[4]||x0[(0,1,3) (0,0,2)] x1[(1,0,0) (0,1,0)] -> register[4] lane[8] wave[4]
pseudo_inverse|register[] lane[(1,1)] wave[(0,0) (1,0)] -> x0[2] x1[2]||x0[(0,0,2)] x1[(0,1,2)] -> register[1] lane[2] wave[4]
pseudo_inverse|register[(0,0)] lane[(1,0)] wave[(3,0)] -> x0[4] x1[1]||x0[(0,1,0) (0,1,1)] x1[] -> register[2] lane[2] wave[2]
pseudo_inverse|register[(0,0) (0,0) (0,0)] lane[(0,0) (0,0) (0,0)] wave[(0,0)] -> x0[1] x1[1]||x0[] x1[] -> register[8] lane[8] wave[2]
pseudo_inverse|register[(0,1)] lane[(3,3) (0,0) (3,0)] wave[(0,0) (2,1) (1,0)] -> x0[4] x1[4]||x0[(1,4,2) (1,0,2)] x1[(1,0,0) (1,5,0)] -> register[2] lane[8] wave[8]
pseudo_inverse|register[(0,0) (0,3)] lane[(0,1) (0,1) (0,1)] wave[(0,1) (0,1)] -> x0[1] x1[4]||x0[] x1[(0,1,0) (2,1,0)] -> register[4] lane[8] wave[4]
pseudo_inverse|register[(0,2) (0,1) (0,0)] lane[(0,0) (1,0) (0,1)] wave[(0,3)] -> x0[2] x1[4]||x0[(0,2,0)] x1[(2,0,0) (1,0,0)] -> register[8] lane[8] wave[2]
pseudo_inverse|register[(3,1)] lane[(1,0)] wave[(2,0) (3,0)] -> x0[4] x1[2]||x0[(0,1,0) (0,0,1)] x1[(1,1,1)] -> register[2] lane[2] wave[4]
pseudo_inverse|register[(0,1) (0,1)] lane[(0,0)] wave[] -> x0[1] x1[2]||x0[] x1[(1,0,0)] -> register[4] lane[2] wave[1]
pseudo_inverse|register[(0,0) (0,0) (0,0)] lane[(3,0) (3,0) (2,0)] wave[(1,0) (1,0)] -> x0[4] x1[1]||x0[(0,5,0) (0,4,0)] x1[] -> register[8] lane[8] wave[4]
pseudo_inverse|register[(0,1) (1,0) (3,0)] lane[(0,0) (2,0)] wave[] -> x0[4] x1[2]||x0[(2,0,0) (6,0,0)] x1[(1,0,0)] -> register[8] lane[4] wave[1]
pseudo_inverse|register[(3,0)] lane[(3,3) (3,0) (3,1)] wave[(3,1) (2,3) (2,0)] -> x0[4] x1[4]||x0[(0,1,2) (1,1,2)] x1[(1,4,0) (0,5,0)] -> register[2] lane[8] wave[8]
tests|register[] lane[(0,0) (0,0)] wave[(0,0) (0,1) (0,0)] -> x0[1] x1[2]||010
tests|register[(0,0) (0,1) (0,0)] lane[(0,0) (0,0)] wave[(0,0)] -> x0[1] x1[4]||000
tests|register[(0,0) (0,0) (0,0)] lane[(0,0) (0,0) (0,0)] wave[(0,0) (0,0)] -> x0[1] x1[1]||010
tests|register[(3,0) (2,0) (3,0)] lane[(2,0)] wave[(0,0) (0,0) (2,0)] -> x0[4] x1[1]||010
tests|register[(0,3) (0,1) (0,0)] lane[] wave[] -> x0[1] x1[4]||010
tests|register[(1,0)] lane[(3,0) (0,0) (3,1)] wave[(2,1)] -> x0[4] x1[2]||010
tests|register[] lane[(0,2)] wave[(0,0) (1,0) (1,3)] -> x0[2] x1[4]||010
tests|register[(0,0) (1,0)] lane[] wave[(1,0) (0,0)] -> x0[2] x1[1]||010
tests|register[(0,0) (3,0) (3,0)] lane[] wave[] -> x0[4] x1[4]||000
tests|register[(3,3) (0,0) (0,0)] lane[] wave[] -> x0[4] x1[4]||000
tests|register[(1,0)] lane[(0,1) (1,0)] wave[(1,3) (0,0)] -> x0[2] x1[4]||010
tests|register[] lane[(0,0) (0,0) (0,0)] wave[] -> x0[1] x1[1]||010
tests|register[(0,3) (0,2)] lane[(0,1) (0,3) (0,2)] wave[(0,2) (0,3) (0,3)] -> x0[1] x1[4]||010
tests|register[] lane[(2,0) (0,0)] wave[(1,1) (2,3) (1,1)] -> x0[4] x1[4]||000
)";

} // namespace notation_examples
